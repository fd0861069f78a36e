COPY public.chain_links (transfer, stream, n, sealed, hash) FROM stdin;
1	transfers	1	\N	\\x0310a4a551332481421d198aa6208c640e0eeaadaa53909abd45f54284809a7f
2	transfers	2	\N	\\x4de094b7f454405df16db7b4bcb858c16a3d119c684b79e756a012ebc751edc4
3	transfers	3	\N	\\x649f2aba3f8e99b679e69b343634932d08585f55deb5a620bac89c7bc05ffeb0
4	transfers	4	\N	\\x955fbf547dfd9172f269d0f1d651caea4e484d3be0c7c9ad0df638ab0a76bd1a
5	transfers	5	\N	\\xed1f6bdfb97631c6e9987a91834d7548cfd7412fc9c2ff9206c5483ddaa8a1ed
6	transfers	6	\N	\\x2425df82259114fd1248b5a7c9f0f5dfaa351429bb77a04b5638c033ca099384
7	transfers	7	\N	\\xc49e865ddeb76850a4ffd7ececbd026e41a38cc4ff43bd50dc18184e7055bda6
8	transfers	8	\N	\\x8908882787bd2a423f4dcca6ecb7b7add4c1088744c7bd5cad46d709f942ea19
9	transfers	9	\N	\\xdec5fb2d7e2c9f5b3c1fd46486193112b20ef7b4b2403cc945940760acb3302d
10	transfers	10	\N	\\x0f2d5da4bd2e979f8406050c2c5c761e822f70946e6312f2ce21b8075cb46e30
11	transfers	11	\N	\\xfb8836e3ad1d5bf06c44ffb9eeb9efd7ebd4dbaf07cd2dcd2a1b4da0c31d6047
12	transfers	12	\N	\\xbc0444e8e24a4b5e9f852a25f74e4d69dcfd25d4a58b3224812a18b61d600816
13	transfers	13	\N	\\x8dfd73879842ba2dda62b12953bcae0d7ce2310c0b7553e5bb2e7680c0acaa25
14	transfers	14	\N	\\x2f30e5812b1b3faf753b0f5ebec31e20ecb18f31aa05635f89703d3cf580e857
15	transfers	15	\N	\\xdbfc215416c1400182d78a5ed89a79cacddaca8977cecee76933f8aa7d141f72
16	table:u1	1	\N	\\x8f2bdb63417d11dabe2cd4796f1a4cf42b88c25ed57bce21a4d349e7cfe456f3
17	transfers	16	\N	\\xaf3b05b434fe69e552b88ee12bcdbfe5634a2b204569e4d08eebdc011939657c
18	transfers	17	\N	\\x6d069dc2bc705f7932ac696eeb01804a456e09f56aa3d96ccbd567248076edf6
19	transfers	18	\N	\\x83b6ddbc682cd62360c0f7d65de401e0878925dd0a1af235ecea8b0c996d5a30
20	table:u1	2	\N	\\x9964ad15a16c7a6a6204c981569a101997a777574b1af9dcc66237c18aac44c7
21	table:u2	1	\N	\\x8286c1de255485a393b25a845cf2ba1685714494e7af2f26d946d0e9363b3e9f
22	table:u2	2	\N	\\xc097eb9ca815bbbaa56c1fd2a1c1d44f1b27d95e3fbd487b982ea5585b863418
\.
COPY public.checkpoints (number, body, signature) FROM stdin;
1	{"number":1,"at_ms":1795721620161,"key":"8a92ca4b99702d30","before":"0000000000000000000000000000000000000000000000000000000000000000","complete_to":22,"links":22,"root":"fcc910c182e1c899c2ebec1cd3c60dc8117de3f7c933759e647239b35c8a8485","streams":[["table:u1",1,2,"9964ad15a16c7a6a6204c981569a101997a777574b1af9dcc66237c18aac44c7"],["table:u2",1,2,"c097eb9ca815bbbaa56c1fd2a1c1d44f1b27d95e3fbd487b982ea5585b863418"],["transfers",1,18,"83b6ddbc682cd62360c0f7d65de401e0878925dd0a1af235ecea8b0c996d5a30"]],"operators_log":[1,"4edf6e594d462142aadcee2aaee38b0b64bbfd855555dc7b7ad51124170f2dbe"]}	\\xcb975ec904452163bf1082dd2b11b22cb5b35b1c7bfa778149f2fea8777e5009f8741421fb492893b82797b2fdd230874370ccc56ea2a98af5bbd3de7854490c
2	{"number":2,"at_ms":1795721620251,"key":"8a92ca4b99702d30","before":"876cad4199e03d0782fb8fa015a00a41ec3df58ee582cf7d4648154881b25e7a","complete_to":22,"links":0,"root":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","streams":[],"operators_log":[2,"5d55347e35028951e533fce0610cc9dfffcf7f1d0a9c92c049849b6179e390ed"]}	\\xf18fca46b7ceade182102ab2f5152d259935c4044d772ea14589a47190a433992f3024a0bccd40db2c8351a9833d63b9140ffe0f387849f6ae6c6b4180820f0f
\.
COPY public.transfers (id, key, kind, created) FROM stdin;
1	genesis	genesis	2026-11-26 19:33:34.684091+00
2	opening:1	opening	2026-11-26 19:33:39.07424+00
3	opening:2	opening	2026-11-26 19:33:39.184781+00
4	opening:3	opening	2026-11-26 19:33:39.205418+00
5	opening:4	opening	2026-11-26 19:33:39.260758+00
6	opening:5	opening	2026-11-26 19:33:39.282748+00
7	opening:6	opening	2026-11-26 19:33:39.320769+00
8	opening:7	opening	2026-11-26 19:33:39.342155+00
9	opening:8	opening	2026-11-26 19:33:39.367708+00
10	opening:9	opening	2026-11-26 19:33:39.380002+00
11	seed:u1:1	meter_seed	2026-11-26 19:33:39.530411+00
12	place:a496c2ef17a77ff9be3152a448627967	place	2026-11-26 19:33:39.549718+00
13	place:a2173a0f0749a0ff7e56dd691a563a5c	place	2026-11-26 19:33:39.578682+00
14	place:bdb242132d0925b82cab493b8ff0c15f	place	2026-11-26 19:33:39.591063+00
15	place:e6ea59fc3334873b2883b23f5838ef29	place	2026-11-26 19:33:39.616407+00
16	round:20231114-22:13:22-000001:bets	round_bets	2026-11-26 19:33:39.625436+00
17	cashout:9166a883a620e7e1e956114365e8a97b	cash_out	2026-11-26 19:33:39.860741+00
18	opening:10	opening	2026-11-26 19:33:39.877632+00
19	round:20231114-22:13:22-000001:play:1	round_play	2026-11-26 19:33:39.883019+00
20	round:20231114-22:13:22-000001	round	2026-11-26 19:33:39.894293+00
21	round:20231114-22:13:26-000002:bets	round_bets	2026-11-26 19:33:39.967591+00
22	round:20231114-22:13:26-000002	round	2026-11-26 19:33:39.983488+00
\.
COPY public.hands (transfer, hand_id, table_id, started, ended, record, epoch, rake) FROM stdin;
\.
COPY public.ledger_accounts (id, kind, owner, table_id, balance, code) FROM stdin;
1	issuer	\N	\N	-1000000000000000	issuer
3	house	\N	\N	0	house
4	fees	\N	\N	0	fees
5	tronc	\N	\N	0	tronc
6	held	\N	\N	0	held
7	wallet	1	\N	50000000	wallet:1
9	wallet	3	\N	50000000	wallet:3
11	wallet	5	\N	50000000	wallet:5
12	wallet	6	\N	50000000	wallet:6
13	wallet	7	\N	50000000	wallet:7
14	wallet	8	\N	1659	wallet:8
15	wallet	9	\N	50000000	wallet:9
17	meter:u2	\N	u2	0	meter:u2
20	meter:u1	\N	u1	100000	meter:u1
19	house:u1	\N	u1	151500	house:u1
22	wallet	10	\N	1000000	wallet:10
8	wallet	2	\N	50000000	wallet:2
21	stakes:u1	\N	u1	0	stakes:u1
2	bank	\N	\N	999999598393341	bank
10	wallet	4	\N	49998600	wallet:4
18	stakes:u2	\N	u2	0	stakes:u2
16	house:u2	\N	u2	354900	house:u2
23	source:desk	\N	desk	0	source:desk
\.
COPY public.legs (transfer, ledger_account, amount) FROM stdin;
1	1	-1000000000000000
1	2	1000000000000000
2	2	-50000000
2	7	50000000
3	2	-50000000
3	8	50000000
4	2	-50000000
4	9	50000000
5	2	-50000000
5	10	50000000
6	2	-50000000
6	11	50000000
7	2	-50000000
7	12	50000000
8	2	-50000000
8	13	50000000
9	2	-1659
9	14	1659
10	2	-50000000
10	15	50000000
11	2	-100000
11	20	100000
16	8	-600
16	21	600
16	2	-151500
16	19	151500
18	2	-1000000
18	22	1000000
19	8	-300
19	21	300
20	8	900
20	21	-900
21	10	-1400
21	18	1400
21	2	-353500
21	16	353500
22	16	1400
22	18	-1400
\.
COPY public.operator_log (n, at_ms, who, role, verb, subject, args, reason, result, address, prev_hash, hash) FROM stdin;
1	1795721620048	carla	cashier	cashier.open	desk	{}	a test	done		\\x0000000000000000000000000000000000000000000000000000000000000000	\\x4edf6e594d462142aadcee2aaee38b0b64bbfd855555dc7b7ad51124170f2dbe
2	1795721620189	carla	cashier	cashier.close	desk	{}	a test	done		\\x4edf6e594d462142aadcee2aaee38b0b64bbfd855555dc7b7ad51124170f2dbe	\\x5d55347e35028951e533fce0610cc9dfffcf7f1d0a9c92c049849b6179e390ed
\.
COPY public.retention (id, hands_days, erased_to) FROM stdin;
1	0	0
\.
COPY public.rounds (transfer, round_id, table_id, epoch, started) FROM stdin;
16	20231114-22:13:22-000001	u1	1	2023-11-14 22:13:22.837+00
21	20231114-22:13:26-000002	u2	1	2023-11-14 22:13:26.632+00
\.
COPY public.round_ends (round, transfer, epoch, ended, void, house, fed, paid, reseeded, tronc, record) FROM stdin;
16	20	1	2023-11-14 22:13:25.101+00	f	0	0	0	0	0	{"bank": {"hand": "pair", "cards": ["3h", "Jc"], "qualifies": true}, "game": "ultimate", "tips": [], "void": false, "board": ["4d", "Td", "Kc", "7c", "7h"], "boxes": [{"box": 1, "bets": [["ante", 300, 300], ["blind", 300, 300], ["play", 300, 300]], "envy": 0, "hand": "pair", "name": "p2", "cards": ["8d", "Jh"], "extra": false, "account": 2, "outcome": "tied"}], "house": 0, "meter": {"fed": 0, "paid": 0, "before": 100000, "reseeded": 0}, "table": "u1", "terms": {"ante": [100, 10000], "boxes": 1, "trips": null, "seating": "boxes", "blind_pays": [[9, 500, 1], [8, 50, 1], [7, 10, 1], [6, 3, 1], [5, 3, 2], [4, 1, 1]], "trips_pays": [[9, 50, 1], [8, 40, 1], [7, 30, 1], [6, 8, 1], [5, 7, 1], [4, 4, 1], [3, 3, 1]], "progressive": {"seed": 100000, "stake": 100, "prizes": [[7, 30000], [6, 5000]], "feed_bps": 1500, "meter_bps": [[9, 10000], [8, 1000]], "envy_prize": 100000}, "exposure_max": null, "qualification": "any_pair"}, "tronc": 0, "players": [[2, 0]], "seating": "boxes", "version": 2, "ended_ms": 1700000005101, "round_id": "20231114-22:13:22-000001", "decisions": [["preflop", 1, "check", 0, false], ["flop", 1, "check", 0, false], ["river", 1, "play", 1, false]], "started_ms": 1700000002837, "qualification": "any_pair"}
21	22	1	2023-11-14 22:13:33.719+00	f	1400	0	0	0	0	{"bank": {"hand": "pair", "cards": ["8d", "6c"], "qualifies": true}, "game": "ultimate", "tips": [], "void": false, "board": ["4h", "9d", "7d", "4s", "Ac"], "boxes": [{"box": 3, "bets": [["ante", 700, 0], ["blind", 700, 0]], "envy": 0, "hand": "two_pair", "name": "p4", "cards": ["Qs", "9h"], "extra": false, "account": 4, "outcome": "folded"}], "house": 1400, "meter": {"fed": 0, "paid": 0, "before": 0, "reseeded": 0}, "table": "u2", "terms": {"ante": [100, 10000], "boxes": 6, "trips": [100, 10000], "seating": "common_hand", "blind_pays": [[9, 500, 1], [8, 50, 1], [7, 10, 1], [6, 3, 1], [5, 3, 2], [4, 1, 1]], "trips_pays": [[9, 50, 1], [8, 40, 1], [7, 30, 1], [6, 8, 1], [5, 7, 1], [4, 4, 1], [3, 3, 1]], "progressive": null, "exposure_max": null, "qualification": "any_pair"}, "tronc": 0, "players": [[4, -1400]], "seating": "common_hand", "version": 2, "ended_ms": 1700000013719, "round_id": "20231114-22:13:26-000002", "decisions": [["preflop", 3, "check", 0, false], ["flop", 3, "check", 0, false], ["river", 3, "fold", 0, false]], "started_ms": 1700000006632, "qualification": "any_pair"}
\.
COPY public.round_stakes (round, transfer, account, kind, amount) FROM stdin;
16	16	2	bets	600
16	19	2	play	300
21	21	4	bets	1400
\.
