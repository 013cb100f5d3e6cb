PRAGMA application_id=1852796531;
BEGIN TRANSACTION;
CREATE TABLE nonstop_results (
	study_id INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	value TEXT, 
	reason TEXT, 
	counted BOOLEAN NOT NULL, 
	reported_at DOUBLE NOT NULL, 
	PRIMARY KEY (study_id, id), 
	FOREIGN KEY(study_id) REFERENCES nonstop_studies (id)
);
INSERT INTO "nonstop_results" VALUES(1,'e7eff40b8a20499a9fbf649d80f4037e',0,1,'completed','1.3333333333333333',NULL,1,1.79490573616328501702e+09);
INSERT INTO "nonstop_results" VALUES(1,'786d806b9cf24211953ff6fd211c1a83',1,1,'completed','0.3333333333333333',NULL,1,1.79490573619514656071e+09);
INSERT INTO "nonstop_results" VALUES(1,'fb0da02ee260450e9565f166345bc607',2,1,'completed','0.0',NULL,1,1.79490573625129628178e+09);
INSERT INTO "nonstop_results" VALUES(1,'de9ce7fd800c43fbbd8f42e042c48807',3,1,'completed','0.3333333333333333',NULL,1,1.79490573629604935647e+09);
INSERT INTO "nonstop_results" VALUES(1,'7b262513455342c0aeb5526534842c49',4,1,'failed',NULL,'diverged',1,1.79490573635598325732e+09);
CREATE TABLE nonstop_schema (
	version INTEGER NOT NULL, 
	installed_at DOUBLE NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "nonstop_schema" VALUES(1,1.79490573608028197291e+09);
CREATE TABLE nonstop_studies (
	id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	creation_id TEXT NOT NULL, 
	spec TEXT NOT NULL, 
	created_at DOUBLE NOT NULL, 
	sequence BIGINT NOT NULL, 
	proposing INTEGER NOT NULL, 
	waiting INTEGER NOT NULL, 
	running INTEGER NOT NULL, 
	completed INTEGER NOT NULL, 
	failed INTEGER NOT NULL, 
	PRIMARY KEY (id), 
	UNIQUE (name)
);
INSERT INTO "nonstop_studies" VALUES(1,'old','9c1486cb78764a3d8e09fa612e6dae8f','{"space": {"x": {"type": "float", "low": 0.0, "high": 1.0, "log": false}, "kind": {"type": "categorical", "choices": ["a", "b"]}}, "direction": "minimize", "rule": "kb-ucb+kb-ucb+kb-logei", "surrogate": "nonstop", "seed": 3, "noisy": false, "initial": 2, "command": null}',1.79490573612033820155e+09,18,0,1,1,4,1);
CREATE TABLE nonstop_trials (
	study_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	state TEXT NOT NULL, 
	params TEXT, 
	value TEXT, 
	version INTEGER NOT NULL, 
	place INTEGER, 
	seed BIGINT NOT NULL, 
	attempt INTEGER NOT NULL, 
	owner TEXT, 
	beat BIGINT NOT NULL, 
	reason TEXT, 
	diagnostics TEXT NOT NULL, 
	asked_at DOUBLE, 
	started_at DOUBLE, 
	finished_at DOUBLE, 
	sequence BIGINT NOT NULL, 
	request_id TEXT, 
	insert_id TEXT, 
	PRIMARY KEY (study_id, number), 
	UNIQUE (study_id, sequence), 
	UNIQUE (study_id, place), 
	UNIQUE (study_id, request_id), 
	UNIQUE (study_id, insert_id), 
	FOREIGN KEY(study_id) REFERENCES nonstop_studies (id)
);
INSERT INTO "nonstop_trials" VALUES(1,0,'completed','{"x": 0.3976987409459324, "kind": "b"}','1.3333333333333333',0,1,6233904063939786893,1,'me',0,NULL,'{"rung": "quasi-random", "skip": 0}',1.79490573613317418101e+09,1.7949057361521859169e+09,1.79490573616328501702e+09,3,'98423376dde94ed09be946a89ee79650',NULL);
INSERT INTO "nonstop_trials" VALUES(1,1,'completed','{"x": 0.8976987409459324, "kind": "b"}','0.3333333333333333',1,2,5712964121383671236,1,'me',0,NULL,'{"rung": "quasi-random", "skip": 0}',1.79490573617517328256e+09,1.79490573618810677529e+09,1.79490573619514656071e+09,6,'9b5b60a474c14d86bb90e9c085378924',NULL);
INSERT INTO "nonstop_trials" VALUES(1,2,'completed','{"x": 1.0, "kind": "b"}','0.0',2,3,5737856171534892084,1,'me',0,NULL,'{"rung": "model", "acquisition": -1.754977945944146, "mean": 0.6266104207147136, "sd": 0.5281870023452538, "nearest_busy": null, "seconds": 0.005533234000040466, "busy": [], "believed": [], "warm": null, "cursor": 7, "lengthscales": [0.21991259848433395, 0.3547009307019956, 0.35470093070199643], "noise": 2.2603267922306784e-06, "fitted": 2}',1.794905736215678215e+09,1.7949057362410385609e+09,1.79490573625129628178e+09,9,'2a3540cc62e44fce8724570a77826460',NULL);
INSERT INTO "nonstop_trials" VALUES(1,3,'completed','{"x": 1.0, "kind": "a"}','0.3333333333333333',3,4,6252797085247196109,1,'me',0,NULL,'{"rung": "model", "acquisition": 1.4176855729166133, "mean": 0.003490181668019728, "sd": 0.9999871510746432, "nearest_busy": null, "seconds": 0.0049299960001008, "busy": [], "believed": [], "warm": 2, "cursor": 10, "lengthscales": [0.14110284984564953, 0.3546925496140948, 0.3546925496140938], "noise": 2.260342182162357e-06, "fitted": 3}',1.79490573626580190652e+09,1.79490573629235863686e+09,1.79490573629604935647e+09,12,'a36b2f8183ea4007bf925bf9443f5ed3',NULL);
INSERT INTO "nonstop_trials" VALUES(1,4,'failed','{"x": 0.0, "kind": "a"}',NULL,4,NULL,8142286996972879346,1,'',0,'diverged','{"rung": "model", "acquisition": 1.4138728513785697, "mean": -0.0003406576200730657, "sd": 0.9999999622585627, "nearest_busy": null, "seconds": 0.010985197999843876, "busy": [], "believed": [], "warm": 3, "cursor": 13, "lengthscales": [0.1037628395683583, 0.3548753817087481, 0.3548753817087462], "noise": 2.2603446874704084e-06, "fitted": 4}',1.79490573631518077852e+09,1.79490573633467364309e+09,1.79490573635598325732e+09,15,'b62cee2f15ab46fbb5bf76d7aea7d189',NULL);
INSERT INTO "nonstop_trials" VALUES(1,5,'running','{"x": 0.6814842102004959, "kind": "a"}',NULL,4,NULL,4895867234429419378,1,'gone',0,NULL,'{"rung": "model", "acquisition": -2.902623508117142, "mean": -0.0014930546153719684, "sd": 0.9996944924537792, "nearest_busy": null, "seconds": 0.013004136000063227, "busy": [], "believed": [4], "warm": 4, "cursor": 16, "lengthscales": [0.1037628395683583, 0.3548753817087481, 0.3548753817087462], "noise": 2.2603446874704084e-06, "fitted": 4}',1.79490573636304688457e+09,1.79490573638844156268e+09,NULL,17,'efb18bc70ccd4d4f90559bf73b0c93f9',NULL);
INSERT INTO "nonstop_trials" VALUES(1,6,'waiting','{"x": 0.25, "kind": "b"}',NULL,-1,NULL,0,1,NULL,0,NULL,'{}',NULL,NULL,NULL,18,NULL,'51fe83971d594e22a11c584073dfd018');
CREATE INDEX nonstop_trials_by_state ON nonstop_trials (study_id, state, number);
COMMIT;
