BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('v3.2.0.a');
CREATE TABLE studies (
	study_id INTEGER NOT NULL, 
	study_name VARCHAR(512) NOT NULL, 
	PRIMARY KEY (study_id)
);
INSERT INTO "studies" VALUES(1,'mixed');
INSERT INTO "studies" VALUES(2,'nested');
INSERT INTO "studies" VALUES(3,'conditional');
CREATE TABLE study_directions (
	study_direction_id INTEGER NOT NULL, 
	direction VARCHAR(8) NOT NULL, 
	study_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	PRIMARY KEY (study_direction_id), 
	UNIQUE (study_id, objective), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "study_directions" VALUES(1,'MAXIMIZE',1,0);
INSERT INTO "study_directions" VALUES(2,'MINIMIZE',2,0);
INSERT INTO "study_directions" VALUES(3,'MINIMIZE',3,0);
CREATE TABLE study_system_attributes (
	study_system_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_system_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
CREATE TABLE study_user_attributes (
	study_user_attribute_id INTEGER NOT NULL, 
	study_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (study_user_attribute_id), 
	UNIQUE (study_id, "key"), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
CREATE TABLE trial_heartbeats (
	trial_heartbeat_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	heartbeat DATETIME NOT NULL, 
	PRIMARY KEY (trial_heartbeat_id), 
	UNIQUE (trial_id), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_intermediate_values (
	trial_intermediate_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	step INTEGER NOT NULL, 
	intermediate_value FLOAT, 
	intermediate_value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_intermediate_value_id), 
	UNIQUE (trial_id, step), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
CREATE TABLE trial_params (
	param_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	param_name VARCHAR(512), 
	param_value FLOAT, 
	distribution_json TEXT, 
	PRIMARY KEY (param_id), 
	UNIQUE (trial_id, param_name), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_params" VALUES(1,1,'x',2.51066014107721890979e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 2.0, "log": false}}');
INSERT INTO "trial_params" VALUES(2,1,'lr',7.60848123371479258258e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(3,1,'depth',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(4,1,'width',80.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(5,1,'kind',3.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(6,2,'x',-2.0646505153866012705e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(7,2,'lr',1.4297724879798392062e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(8,2,'depth',6.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(9,2,'width',176.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(10,2,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(11,3,'x',-1.65390395265746059649e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(12,3,'lr',1.71695658524738631149e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(13,3,'depth',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(14,3,'width',64.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(15,3,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(16,5,'x',7.52778304592076619172e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(17,5,'lr',3.78814552109711932814e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(18,5,'depth',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(19,5,'width',16.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(20,5,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(21,6,'x',9.15779060301003866584e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(22,6,'lr',1.35725403013136659835e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(23,6,'depth',9.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(24,6,'width',96.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(25,6,'kind',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(26,7,'x',9.77722177812989423628e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(27,7,'lr',9.83246971740868100364e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(28,7,'depth',4.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(29,7,'width',208.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(30,7,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(31,8,'x',-4.24449322827302522043e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(32,8,'lr',3.31218273062551e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(33,8,'depth',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(34,8,'width',176.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(35,8,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(36,9,'x',1.48235210984026144487e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(37,9,'lr',3.8629074184943221551e-05,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(38,9,'depth',8.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(39,9,'width',192.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(40,9,'kind',2.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(41,10,'x',-9.00093082107825681603e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": -1.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(42,10,'lr',1.39182817474848056181e-03,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 1e-05, "high": 0.1, "log": true}}');
INSERT INTO "trial_params" VALUES(43,10,'depth',8.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 12}}');
INSERT INTO "trial_params" VALUES(44,10,'width',144.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 16, "low": 16, "high": 256}}');
INSERT INTO "trial_params" VALUES(45,10,'kind',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["a", 2, null, true]}}');
INSERT INTO "trial_params" VALUES(46,12,'model',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(47,12,'C',1.98597998488501259473e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.001, "high": 1000.0, "log": true}}');
INSERT INTO "trial_params" VALUES(48,13,'model',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(49,13,'C',9.59420350210734157458e-02,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.001, "high": 1000.0, "log": true}}');
INSERT INTO "trial_params" VALUES(50,14,'model',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(51,14,'share',0.25,'{"name": "FloatDistribution", "attributes": {"step": 0.25, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(52,15,'model',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(53,15,'share',0.5,'{"name": "FloatDistribution", "attributes": {"step": 0.25, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(54,16,'model',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(55,16,'share',0.0,'{"name": "FloatDistribution", "attributes": {"step": 0.25, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(56,17,'model',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(57,17,'share',0.5,'{"name": "FloatDistribution", "attributes": {"step": 0.25, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(58,18,'model',0.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(59,18,'C',1.07516852148385289034e+00,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.001, "high": 1000.0, "log": true}}');
INSERT INTO "trial_params" VALUES(60,19,'model',1.0,'{"name": "CategoricalDistribution", "attributes": {"choices": ["svm", "forest"]}}');
INSERT INTO "trial_params" VALUES(61,19,'share',0.0,'{"name": "FloatDistribution", "attributes": {"step": 0.25, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(62,20,'n',2.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 2}}');
INSERT INTO "trial_params" VALUES(63,21,'y',4.24529674462063355555e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
INSERT INTO "trial_params" VALUES(64,22,'n',1.0,'{"name": "IntDistribution", "attributes": {"log": false, "step": 1, "low": 1, "high": 2}}');
INSERT INTO "trial_params" VALUES(65,23,'y',8.47330070732259077459e-01,'{"name": "FloatDistribution", "attributes": {"step": null, "low": 0.0, "high": 1.0, "log": false}}');
CREATE TABLE trial_system_attributes (
	trial_system_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_system_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_system_attributes" VALUES(1,11,'fixed_params','{"x": 0.5}');
CREATE TABLE trial_user_attributes (
	trial_user_attribute_id INTEGER NOT NULL, 
	trial_id INTEGER, 
	"key" VARCHAR(512), 
	value_json TEXT, 
	PRIMARY KEY (trial_user_attribute_id), 
	UNIQUE (trial_id, "key"), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_user_attributes" VALUES(1,1,'epochs','[0, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(2,2,'epochs','[1, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(3,3,'epochs','[2, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(4,5,'epochs','[4, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(5,6,'epochs','[5, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(6,7,'epochs','[6, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(7,8,'epochs','[7, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(8,9,'epochs','[8, "gr\u00f6\u00dfer"]');
INSERT INTO "trial_user_attributes" VALUES(9,10,'epochs','[9, "gr\u00f6\u00dfer"]');
CREATE TABLE trial_values (
	trial_value_id INTEGER NOT NULL, 
	trial_id INTEGER NOT NULL, 
	objective INTEGER NOT NULL, 
	value FLOAT, 
	value_type VARCHAR(7) NOT NULL, 
	PRIMARY KEY (trial_value_id), 
	UNIQUE (trial_id, objective), 
	FOREIGN KEY(trial_id) REFERENCES trials (trial_id)
);
INSERT INTO "trial_values" VALUES(1,1,0,5.711744953414366055e-01,'FINITE');
INSERT INTO "trial_values" VALUES(2,2,0,4.89613583389218898211e-01,'FINITE');
INSERT INTO "trial_values" VALUES(3,3,0,8.80435179047487082026e-02,'FINITE');
INSERT INTO "trial_values" VALUES(4,7,0,NULL,'INF_POS');
INSERT INTO "trial_values" VALUES(5,8,0,2.63083799000003726309e-01,'FINITE');
INSERT INTO "trial_values" VALUES(6,9,0,8.98544243577505730158e-01,'FINITE');
INSERT INTO "trial_values" VALUES(7,10,0,6.73541543290162136869e-01,'FINITE');
INSERT INTO "trial_values" VALUES(8,12,0,1.98597998488501259473e+00,'FINITE');
INSERT INTO "trial_values" VALUES(9,13,0,9.59420350210734157458e-02,'FINITE');
INSERT INTO "trial_values" VALUES(10,14,0,0.25,'FINITE');
INSERT INTO "trial_values" VALUES(11,15,0,0.5,'FINITE');
INSERT INTO "trial_values" VALUES(12,16,0,0.0,'FINITE');
INSERT INTO "trial_values" VALUES(13,17,0,0.5,'FINITE');
INSERT INTO "trial_values" VALUES(14,18,0,1.07516852148385289034e+00,'FINITE');
INSERT INTO "trial_values" VALUES(15,19,0,0.0,'FINITE');
INSERT INTO "trial_values" VALUES(16,20,0,2.0,'FINITE');
INSERT INTO "trial_values" VALUES(17,21,0,4.24529674462063355555e-01,'FINITE');
INSERT INTO "trial_values" VALUES(18,22,0,1.0,'FINITE');
INSERT INTO "trial_values" VALUES(19,23,0,8.47330070732259077459e-01,'FINITE');
CREATE TABLE trials (
	trial_id INTEGER NOT NULL, 
	number INTEGER, 
	study_id INTEGER, 
	state VARCHAR(8) NOT NULL, 
	datetime_start DATETIME, 
	datetime_complete DATETIME, 
	PRIMARY KEY (trial_id), 
	FOREIGN KEY(study_id) REFERENCES studies (study_id)
);
INSERT INTO "trials" VALUES(1,0,1,'COMPLETE','2026-11-17 13:09:03.080166','2026-11-17 13:09:03.689483');
INSERT INTO "trials" VALUES(2,1,1,'COMPLETE','2026-11-17 13:09:03.844393','2026-11-17 13:09:04.254588');
INSERT INTO "trials" VALUES(3,2,1,'COMPLETE','2026-11-17 13:09:04.399689','2026-11-17 13:09:04.866319');
INSERT INTO "trials" VALUES(4,3,1,'FAIL','2026-11-17 13:09:05.083631','2026-11-17 13:09:05.201754');
INSERT INTO "trials" VALUES(5,4,1,'FAIL','2026-11-17 13:09:05.333356','2026-11-17 13:09:05.777936');
INSERT INTO "trials" VALUES(6,5,1,'PRUNED','2026-11-17 13:09:05.875038','2026-11-17 13:09:06.344542');
INSERT INTO "trials" VALUES(7,6,1,'COMPLETE','2026-11-17 13:09:06.476691','2026-11-17 13:09:07.004851');
INSERT INTO "trials" VALUES(8,7,1,'COMPLETE','2026-11-17 13:09:07.108142','2026-11-17 13:09:07.564193');
INSERT INTO "trials" VALUES(9,8,1,'COMPLETE','2026-11-17 13:09:07.647511','2026-11-17 13:09:08.026538');
INSERT INTO "trials" VALUES(10,9,1,'COMPLETE','2026-11-17 13:09:08.162400','2026-11-17 13:09:08.426507');
INSERT INTO "trials" VALUES(11,10,1,'WAITING',NULL,NULL);
INSERT INTO "trials" VALUES(12,0,2,'COMPLETE','2026-11-17 13:09:09.392701','2026-11-17 13:09:09.545368');
INSERT INTO "trials" VALUES(13,1,2,'COMPLETE','2026-11-17 13:09:09.596140','2026-11-17 13:09:09.753949');
INSERT INTO "trials" VALUES(14,2,2,'COMPLETE','2026-11-17 13:09:09.849684','2026-11-17 13:09:10.037632');
INSERT INTO "trials" VALUES(15,3,2,'COMPLETE','2026-11-17 13:09:10.143588','2026-11-17 13:09:10.342022');
INSERT INTO "trials" VALUES(16,4,2,'COMPLETE','2026-11-17 13:09:10.439674','2026-11-17 13:09:10.651992');
INSERT INTO "trials" VALUES(17,5,2,'COMPLETE','2026-11-17 13:09:10.748052','2026-11-17 13:09:10.938086');
INSERT INTO "trials" VALUES(18,6,2,'COMPLETE','2026-11-17 13:09:11.079198','2026-11-17 13:09:11.258123');
INSERT INTO "trials" VALUES(19,7,2,'COMPLETE','2026-11-17 13:09:11.345710','2026-11-17 13:09:11.521877');
INSERT INTO "trials" VALUES(20,0,3,'COMPLETE','2026-11-17 13:09:11.885241','2026-11-17 13:09:12.158188');
INSERT INTO "trials" VALUES(21,1,3,'COMPLETE','2026-11-17 13:09:12.214027','2026-11-17 13:09:12.457613');
INSERT INTO "trials" VALUES(22,2,3,'COMPLETE','2026-11-17 13:09:12.550582','2026-11-17 13:09:12.709078');
INSERT INTO "trials" VALUES(23,3,3,'COMPLETE','2026-11-17 13:09:12.811128','2026-11-17 13:09:12.990059');
CREATE TABLE version_info (
	version_info_id INTEGER NOT NULL, 
	schema_version INTEGER, 
	library_version VARCHAR(256), 
	PRIMARY KEY (version_info_id), 
	CHECK (version_info_id=1)
);
INSERT INTO "version_info" VALUES(1,12,'5.0.0');
CREATE UNIQUE INDEX ix_studies_study_name ON studies (study_name);
CREATE INDEX ix_trials_study_id ON trials (study_id);
COMMIT;
