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
	notes TEXT, 
	PRIMARY KEY (study_id, id), 
	FOREIGN KEY(study_id) REFERENCES nonstop_studies (id)
);
INSERT INTO "nonstop_results" VALUES(1,'8eb0f8bdc06342fe8c8ccd79481d8b4f',0,1,'completed','0.5',NULL,1,1.79492848656745672226e+09,'{"epoch": [1, 2]}');
INSERT INTO "nonstop_results" VALUES(1,'df86a11cc25b4e5c9ab7af53710f765a',1,1,'completed','0.25',NULL,1,1.79492848659941601745e+09,'{"epoch": [1, 2]}');
INSERT INTO "nonstop_results" VALUES(1,'d7028bca3f5149709b9a945fefac6b0c',2,1,'completed','0.75',NULL,1,1.79492848664354038234e+09,'{"epoch": [1, 2]}');
INSERT INTO "nonstop_results" VALUES(1,'3d487a6b335e4147bb93f21d4dd112cf',3,1,'completed','0.3',NULL,1,1.79492848668749856947e+09,'{"epoch": [1, 2]}');
INSERT INTO "nonstop_results" VALUES(1,'b42d47120de6469cb58f107db7ee4191',4,1,'failed',NULL,'boom',1,1.79492848673542237285e+09,NULL);
CREATE TABLE nonstop_schema (
	version INTEGER NOT NULL, 
	installed_at DOUBLE NOT NULL, 
	PRIMARY KEY (version)
);
INSERT INTO "nonstop_schema" VALUES(2,1.79492848648604345321e+09);
CREATE TABLE nonstop_studies (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
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
	budget BIGINT, 
	UNIQUE (name)
);
INSERT INTO "nonstop_studies" VALUES(1,'old','d74bf04f94484e32bda6f19723fcfde3','{"space": {"x": {"type": "float", "low": 0.0, "high": 1.0, "log": false}, "kind": {"type": "categorical", "choices": ["a", "b"]}}, "direction": "minimize", "rule": "kb-ucb+kb-ucb+kb-logei", "surrogate": "nonstop", "seed": 3, "noisy": false, "initial": 2, "command": null}',1.79492848652874875071e+09,20,0,1,2,4,1,NULL);
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
	lease DOUBLE, 
	undone BIGINT, 
	checksum BIGINT, 
	seconds DOUBLE, 
	notes TEXT, 
	fixed TEXT, 
	PRIMARY KEY (study_id, number), 
	UNIQUE (study_id, sequence), 
	UNIQUE (study_id, place), 
	UNIQUE (study_id, request_id), 
	UNIQUE (study_id, insert_id), 
	FOREIGN KEY(study_id) REFERENCES nonstop_studies (id)
);
INSERT INTO "nonstop_trials" VALUES(1,0,'completed','{"x": 0.3976987409459324, "kind": "b"}','0.5',0,1,6233904063939786893,1,'anna',0,NULL,'{"rung": "quasi-random", "skip": 0}',1.79492848654189872739e+09,1.79492848655638194085e+09,1.79492848656745672226e+09,3,'0eaee7af67304f1782471b608b02b1f0',NULL,1e999,NULL,1739259868,NULL,'{"epoch": [1, 2]}',NULL);
INSERT INTO "nonstop_trials" VALUES(1,1,'completed','{"x": 0.8976987409459324, "kind": "b"}','0.25',1,2,5712964121383671236,1,'anna',0,NULL,'{"rung": "quasi-random", "skip": 0}',1.79492848657929563523e+09,1.79492848659216833119e+09,1.79492848659941601745e+09,6,'182dd9abb430432d8f1202a0a2d0a0db',NULL,1e999,NULL,1676965254,NULL,'{"epoch": [1, 2]}',NULL);
INSERT INTO "nonstop_trials" VALUES(1,2,'completed','{"x": 1.0, "kind": "b"}','0.75',2,3,5737856171534892084,1,'anna',0,NULL,'{"rung": "model", "acquisition": -1.754977945944146, "mean": 0.6266104207147136, "sd": 0.5281870023452538, "nearest_busy": null, "seconds": 0.014816154998698039, "busy": [], "believed": [], "warm": null, "cursor": 7, "success": 1.0, "lengthscales": [0.21991259848433395, 0.3547009307019956, 0.35470093070199643], "noise": 2.2603267922306784e-06, "fitted": 2}',1.7949284866072230339e+09,1.79492848663049483302e+09,1.79492848664354038234e+09,9,'ca969f4b0a454e91a2b1899dc7537a6a',NULL,1e999,NULL,849706170,NULL,'{"epoch": [1, 2]}',NULL);
INSERT INTO "nonstop_trials" VALUES(1,3,'completed','{"x": 0.850285056938761, "kind": "b"}','0.3',3,4,6252797085247196109,1,'anna',0,NULL,'{"rung": "model", "acquisition": 1.8410460848205852, "mean": 0.7346903434998626, "sd": 0.7823116470925527, "nearest_busy": null, "seconds": 0.01894761099902098, "busy": [], "believed": [], "warm": 2, "cursor": 10, "success": 1.0, "lengthscales": [0.056423567689839756, 0.3547009307019956, 0.3547009307019968], "noise": 2.2603456442459197e-06, "fitted": 3}',1.79492848665522694582e+09,1.79492848668071317669e+09,1.79492848668749856947e+09,12,'1c6bfc0bc5f54591aa4163a13926054f',NULL,1e999,NULL,3347025805,NULL,'{"epoch": [1, 2]}',NULL);
INSERT INTO "nonstop_trials" VALUES(1,4,'failed','{"x": 0.7165837732984828, "kind": "b"}',NULL,4,NULL,8142286996972879346,1,'bob',0,'boom','{"rung": "model", "acquisition": 1.4212785073272802, "mean": 0.020060034703111625, "sd": 0.9908110839164063, "nearest_busy": null, "seconds": 0.014758960001927335, "busy": [], "believed": [], "warm": 3, "cursor": 13, "success": 1.0, "lengthscales": [0.06381529586228785, 0.3547009307019956, 0.3547009307020394], "noise": 2.260843909617824e-06, "fitted": 4}',1.79492848669932603838e+09,1.79492848671840572356e+09,1.79492848673542237285e+09,15,'4ae434f0d1c1496a9e087e8c93b13652',NULL,1e999,NULL,340709331,NULL,NULL,NULL);
INSERT INTO "nonstop_trials" VALUES(1,5,'running','{"x": 0.8520320278735326, "kind": "a"}',NULL,4,NULL,4895867234429419378,1,'bob',0,NULL,'{"rung": "model", "acquisition": -2.4717360716237424, "mean": 0.0030881346701044487, "sd": 0.9999867199550416, "nearest_busy": null, "seconds": 0.01870360700195306, "busy": [], "believed": [4], "warm": 4, "cursor": 16, "success": 1.0, "lengthscales": [0.06381529586228785, 0.3547009307019956, 0.3547009307020394], "noise": 2.260843909617824e-06, "fitted": 4}',1.79492848674723458292e+09,1.79492848677073264123e+09,NULL,17,'9fec91eda611481db843baff0abc2e3c',NULL,5.0,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nonstop_trials" VALUES(1,6,'waiting','{"x": 0.25, "kind": "b"}',NULL,-1,NULL,0,1,NULL,0,NULL,'{}',NULL,NULL,NULL,18,NULL,'3acdef3bada340a184d02c6ecfcf3dc4',NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "nonstop_trials" VALUES(1,7,'running','{"x": 0.0008859349479468648, "kind": "a"}',NULL,4,NULL,4782766539338417736,1,'',0,NULL,'{"rung": "model", "acquisition": 1.4142098514704955, "mean": -3.7108651432567588e-06, "sd": 0.9999999999735144, "nearest_busy": 0.8511460929255857, "seconds": 0.01764883599753375, "busy": [5], "believed": [4, 5], "warm": 5, "cursor": 19, "success": 1.0, "lengthscales": [0.06381529586228785, 0.3547009307019956, 0.3547009307020394], "noise": 2.260843909617824e-06, "fitted": 4}',1.79492848678409957887e+09,1.79492848681993293763e+09,NULL,20,'fd95b1628b144fee880acf45bb26ba17',NULL,1e999,NULL,NULL,NULL,NULL,'{"kind": "a"}');
CREATE INDEX nonstop_trials_by_state ON nonstop_trials (study_id, state, number);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('nonstop_studies',1);
COMMIT;
