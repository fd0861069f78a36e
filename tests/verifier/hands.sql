COPY public.chain_links (transfer, stream, n, sealed, hash) FROM stdin;
1	transfers	1	\N	\\x722996730111e1f6d5585c42720341aa2ca6ec200d6146aee44680c751364a51
2	transfers	2	\N	\\xfebb55f87f96bc755e72d7800d8d483f17fea7af5ebd9cdbb47c262bbfd83c8f
3	transfers	3	\N	\\x413bae4d07fafa0670422c06a49de625b2f201c37adc4ef8eee60c392725ad0f
4	transfers	4	\N	\\xb30f8b1cd274ea87582d64b3b4acb1bbc2afcfc69cca11fc374a783935a5d428
5	transfers	5	\N	\\xe736bf4cb97d6218755aab35cf1f6e9327c834a5dfa40ed70990df8a6a24c291
6	transfers	6	\N	\\xce3cb3e264a6ecb3c00dcef2bd383c898f4be02477f742871ea197af603e5fbb
7	transfers	7	\N	\\x768f161eac26945c2d31c3f8cb7de946422f59a2336243286356fc84d6b28ecf
8	transfers	8	\N	\\x45b2e66c7876c502d90e6cde6b9c345d71ab6f1c4590c9dc2fa584adfd86081e
9	transfers	9	\N	\\x2b8e58b7b1831413db9cd01a5e3e4db0bad736ef7f500d27a8c29ea458172dc1
10	transfers	10	\N	\\x8c745057f51c5e6109ece2fd0d187944c890631c9c9fa0dd26606956c2c0f8d0
11	transfers	11	\N	\\xdeb459600709b1c2de70dbfb0ac192b0a877a0968b52b7964b1c5f329d458629
12	transfers	12	\N	\\xb00354d8afa412be8db84c17a37267d064375e2ab4fab85ff9804928762f85a2
13	transfers	13	\N	\\x704dc699dd1b7e5f05a4a614b162cfa27db9168b4a89d0a2680cf362ac6c4c29
14	transfers	14	\N	\\xc25be4b583e693bb523a4c09d4887435da8a81edf983a70aa03511231b6b1be4
15	transfers	15	\N	\\xdd50e6c4743adafc7a3c70fbfa4d1a67143b77f2f84e12dea13b3ba179526710
16	transfers	16	\N	\\xea294bf24dbcec46ef02e4e3d4bde6cecc66209433ccc70f64c6032f36b03105
17	transfers	17	\N	\\xf380a07dfd46cc4fcf87fc1d43069a495c3d593bddf5ed0065360c35b4c35eaa
18	transfers	18	\N	\\x6ed27cb92369b51641ee85d51b98c8f970310d4e506e812daf9830169b9a1a03
19	transfers	19	\N	\\x017eb8b64c2805df9cc3c0337526489bb76b3c6af5fe51f97c2bb5cde37e38cc
20	transfers	20	\N	\\x2835ebf8d723840a4493d7ce5677e82b40421b3fb14870af93866cbb5ab2ad98
21	transfers	21	\N	\\x5dc3eaf2751d6f92a2d8cb7ef2e2d763ac390f4eecce83641cbe1d916a344a77
22	transfers	22	\N	\\x44e41fe5eddc4e205fd08e990925e1752041e818e9a4f53e60d8b8a667c48186
23	transfers	23	\N	\\xc297473a852d2d91c4269477dd50f2b8f1f1b246bc086583739ed033b3e8659c
24	transfers	24	\N	\\x6e83b418d547de8b804dae330ca383e3eb2ac33ca362f923a726571dd6f5be2d
25	transfers	25	\N	\\x1a3cc38b63fbbcd4232d20a0d50c1a3112e75e6071e4cc28982797503780375c
26	transfers	26	\N	\\x79fe3d05ca8ede3b8c42d4f99140030b0b1638dc389c547311aa006a8e946023
27	transfers	27	\N	\\x992aa1a1d2d1a43b844c393a3156066ceb25f8dcdc999fa9128d1aa93d693397
28	transfers	28	\N	\\x6cd85cb6cc1af0a36578f0166fa4821041a81e6bac7519e1a934a894cea92511
29	transfers	29	\N	\\x2dba0cde7d1a1d79452da5e4a3e20e4c40496d9e38059ff2e1af2fc010ea89d7
30	transfers	30	\N	\\xe1017e8345cd5d2f130b442f733bdc72a595ff56a3b3f4a259c9b2c4b1c5630c
31	table:t2	1	\N	\\x80fd419fa3b4268d59d9cae74706328cd5166bc78c3c5a59c604d7eb1950bee2
32	transfers	31	\N	\\x0bf16671d3c08b65a81249e93607789c239aee9bee6e577efba2eb233d604acf
33	transfers	32	\N	\\xdc17e9834a937cd4de1a65d8974661ebe7edfbfc7bc55a927de6c783732b5810
34	transfers	33	\N	\\x46eb01a3a7a24697f1187937de5ced013a5028eb52d6d8bd64b0bb683e07623d
35	transfers	34	\N	\\xc994575a8230733863209d33299616fbfc6f3474128824ac080abb4612d44051
36	table:t1	1	\\x6c3af6deeee0c791f030ec1dacc6733d40de0f54bddcd57b7a3db9508ca5b586	\\x9a74bfe67f5b3dfccbaa26a2cbfde7a23385c19f58ec998359b500f6c6705c73
37	table:t2	2	\\x15c4e672595d8c90da4bf4f4d64b0a80e4ff98f406d4f0c24e5c57ab47720609	\\xd108355776630ef2dbda070d3c69751bbc11cba9b1927a98276b968e89c91f8c
38	transfers	35	\N	\\x6884f76f4050bf06059836c76e4172e89a8c7cd44329b9aa73f361ddf8f0c418
39	table:t1	2	\\x28fc0551227a83104304103314f49befe5318d81460da958c9b15e3a7e349bd9	\\x18a12cfaa69ce7bb78779520c2ce188dad1b793d92a3dab2d6d1c0f6b09272d9
40	transfers	36	\N	\\x904864633e112fc69394f78e1624233f1840c9e246119b3c2e0aebba5870bd3b
41	table:t1	3	\\xc48d0e9d709fc436832bcc31e7a7ab3340ae80cad3b937e0833b78221b23cab8	\\xa3a8d0dd6dc734f7cbe1371116b69614ec5c647660cc116c0de6ae0c5bb64026
42	table:t2	3	\\x5386779dafc0b4ad0b1a25b380f0b3e6e0cca47cc516fdca7d79c6a05c4dd364	\\xe5fdfa5f998dadf4cb761ad480b4e654b89e74c314a81bc86ebe232f75180683
43	transfers	37	\N	\\x0ffeeca2f7dd06881504472cc454341ec79d5dbf92d70a044b5c21683e243ec9
44	transfers	38	\N	\\x5b3061480cb136e70624a068150975854d251b22c7a95003743bb0bd5f454ff8
45	transfers	39	\N	\\x5d9ed0db4b98d872f99d6db2e21e2a0959ca3eb76ff967ea1e92a7ef5593e31c
46	transfers	40	\N	\\xeff52b26769e0e9a421ae9477ceec737f7bfd1bec3f122c13fa9a4367d3e1bb4
47	table:t1	4	\\x8aea0afee16bcbc7b6af209e4b1b5142a407f0b0da2dfc8563121a8ce71c703e	\\x5088703ab20fc6d1322a3eeed4f47d876aa77abae258259b28cea2edbbd026cb
48	table:t2	4	\\x7446ee299fd258aec04555fb0db59773f8947fa09782cc2e29a7aeac52efcbf8	\\x5f87b08403c2244035658c7c938a86e8662d849f29e470ab80a83d464648e8f4
49	transfers	41	\N	\\x93bb7a0d39f2ceba18e20bf43da1cce55b7e6efcbaa1f512d4241ba8f7833d28
50	transfers	42	\N	\\xb39434558b7d3b2eb555ffe093c7c15af18ed75fc39010315ed690487215b806
51	transfers	43	\N	\\x1bb882558b3381701e297d7faa580b3a5c2e752d98d5a7d1dd5bcedea676c2cc
52	transfers	44	\N	\\x87c2158f5d344674736cd9f1591173e4b7ba4a6aa1f029f196fbfad66c63b74f
53	transfers	45	\N	\\x90a02bf036ebbc69e1e5207a0217c9697aa612919076e1bbd3432bb10423be0e
54	transfers	46	\N	\\x699c62e5b93f1797626565025fac6c67cbe2cd5aaeadf8707eea39230ace4ef9
55	transfers	47	\N	\\xdc89043b0fde150d3bfab493145e482f1a2c8dfe84f686e96b52bac702c0422d
56	transfers	48	\N	\\x4e570377cffb5ca522164397afb129b43914d4f9427de1926f45cde4139e3410
57	transfers	49	\N	\\x9016609d53b38fa3f2d40014a3d818385e58fb6af9cf8a75656953165107fd0a
58	transfers	50	\N	\\xc7e155ff67c364181d53f21f1c53da77a2daeefe87ad8bfb3587f49054679311
\.
COPY public.checkpoints (number, body, signature) FROM stdin;
1	{"number":1,"at_ms":1795721613075,"key":"8a92ca4b99702d30","before":"0000000000000000000000000000000000000000000000000000000000000000","complete_to":58,"links":58,"root":"ad2194a9769ad7290d9ad058dd5c9a80490d1a92c24c52b1397890ca82f16234","streams":[["table:t1",1,4,"5088703ab20fc6d1322a3eeed4f47d876aa77abae258259b28cea2edbbd026cb"],["table:t2",1,4,"5f87b08403c2244035658c7c938a86e8662d849f29e470ab80a83d464648e8f4"],["transfers",1,50,"c7e155ff67c364181d53f21f1c53da77a2daeefe87ad8bfb3587f49054679311"]],"operators_log":[8,"48ace35bc887feb79211bd884b74de71386e9b78aa178eaa32b70d6537c8277c"]}	\\x4ea639ffed4673d4642e301e767febdc8306463b92594f3f56072cd3727afcd1fecaba1d35ed268e47ba59fa6f361553aa570c274caaedf906d9396bdf287606
2	{"number":2,"at_ms":1795721613156,"key":"8a92ca4b99702d30","before":"13ba7f033c3d291bd1fd5b7c4d0ac4da3d8c6b7fba5d59a19317a6e9fb8ba081","complete_to":58,"links":0,"root":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","streams":[],"operators_log":[9,"ac98a099cbb3c3307eea692fb01930e31c8da5f86ce055c1094bb9b288d6d820"]}	\\x4402605a743268362740e0a7722842be1545b72f9496f8747aaa42ca49d509464049465010078da4d2065f6ca7d87379f95a8cd7fffa32931a4d68980a49d80f
\.
COPY public.transfers (id, key, kind, created) FROM stdin;
1	genesis	genesis	2026-11-26 19:33:25.206166+00
2	opening:1	opening	2026-11-26 19:33:31.088337+00
3	opening:2	opening	2026-11-26 19:33:31.236335+00
4	opening:3	opening	2026-11-26 19:33:31.255024+00
5	opening:4	opening	2026-11-26 19:33:31.29781+00
6	opening:5	opening	2026-11-26 19:33:31.315549+00
7	opening:6	opening	2026-11-26 19:33:31.343126+00
8	opening:7	opening	2026-11-26 19:33:31.380956+00
9	opening:8	opening	2026-11-26 19:33:31.392197+00
10	opening:9	opening	2026-11-26 19:33:31.410837+00
11	opening:10	opening	2026-11-26 19:33:31.436666+00
12	opening:11	opening	2026-11-26 19:33:31.451385+00
13	opening:12	opening	2026-11-26 19:33:31.484196+00
14	opening:13	opening	2026-11-26 19:33:31.505568+00
15	opening:14	opening	2026-11-26 19:33:31.524755+00
16	opening:15	opening	2026-11-26 19:33:31.565659+00
17	opening:16	opening	2026-11-26 19:33:31.583497+00
18	buyin:83b015505c99346e318414bb9e667e72	buy_in	2026-11-26 19:33:31.653674+00
19	buyin:1fc8f2e6d9386442d10810227a9b29bf	buy_in	2026-11-26 19:33:31.691361+00
20	opening:17	opening	2026-11-26 19:33:31.718045+00
21	buyin:a5f8aa4ac9d2a56c9fcdb6b41e32d833	buy_in	2026-11-26 19:33:31.741308+00
22	buyin:a3e1ce651e12a414b1b038a81902e50f	buy_in	2026-11-26 19:33:31.789456+00
23	buyin:c5ece290baec332e5a55aa0ab51d5a00	buy_in	2026-11-26 19:33:31.83682+00
24	buyin:f02539748e8e7bedfd5cab05f443c29a	buy_in	2026-11-26 19:33:31.874587+00
25	opening:18	opening	2026-11-26 19:33:31.911206+00
26	buyin:18673c55a20b3d3d50b6a1e3ca542978	buy_in	2026-11-26 19:33:31.932355+00
27	buyin:299e1b292d9dea0afadf6111a38468f6	buy_in	2026-11-26 19:33:31.976451+00
28	buyin:5f63c402b38ff8a2bc564a8a8087a641	buy_in	2026-11-26 19:33:31.996765+00
29	buyin:acbf46c8449404716c2f163949701029	buy_in	2026-11-26 19:33:32.020502+00
30	buyin:4771de01a3a6dee0ea37263cadece122	buy_in	2026-11-26 19:33:32.03596+00
31	hand:1hf7yaw0g7jxjddh	hand	2026-11-26 19:33:32.091316+00
32	buyin:65be175b036b52aa8083ee9fc92585fc	buy_in	2026-11-26 19:33:32.193313+00
33	buyin:1145119f4ef1a179b681cbd27e700234	buy_in	2026-11-26 19:33:32.217827+00
34	buyin:9e6bfb7dde4d78a46c93dab66061591f	buy_in	2026-11-26 19:33:32.243031+00
35	buyin:80960d866ff798a4a1fb12dd9c365a6b	buy_in	2026-11-26 19:33:32.27713+00
36	hand:1hf7yaw0kq4wnn8r	hand	2026-11-26 19:33:32.304649+00
37	hand:1hf7yaxzggbsxesa	hand	2026-11-26 19:33:32.321828+00
38	topup:2c3f95fe1f0dcb364cb2d6ebd5bc3a57	top_up	2026-11-26 19:33:32.336636+00
39	hand:1hf7yb1fyg510xdm	hand	2026-11-26 19:33:32.360767+00
40	topup:d03061d8d6c6c7a7c95fdecbe0bb915a	top_up	2026-11-26 19:33:32.375921+00
41	hand:1hf7yb4yxrt7378s	hand	2026-11-26 19:33:32.394391+00
42	hand:1hf7yb2s45e04cgg	hand	2026-11-26 19:33:32.406977+00
43	topup:e620daba11c4b092cf5f2c14d4bfa34d	top_up	2026-11-26 19:33:32.421458+00
44	topup:5d3e84b0ccb57ca8fd6239a9908c7a85	top_up	2026-11-26 19:33:32.433356+00
45	topup:68dc9b60988815a83c3914d9a7b71ca0	top_up	2026-11-26 19:33:32.457449+00
46	cashout:f005587269970d0b8bf5b0c9812f2c64	cash_out	2026-11-26 19:33:32.487421+00
47	hand:1hf7yb9811bh1t22	hand	2026-11-26 19:33:32.514678+00
48	hand:1hf7ybb2xzvh08dk	hand	2026-11-26 19:33:32.535074+00
49	opening:19	opening	2026-11-26 19:33:32.567614+00
50	source:desk:first	source_fund	2026-11-26 19:33:32.602718+00
51	cash:19:k0:end	deposit	2026-11-26 19:33:32.638141+00
52	cash:19:k3	withdrawal	2026-11-26 19:33:32.733511+00
53	cash:19:k3:end	withdrawal_paid	2026-11-26 19:33:32.77634+00
54	cash:19:k4	withdrawal	2026-11-26 19:33:32.805584+00
55	cash:19:k4:end	withdrawal_return	2026-11-26 19:33:32.834481+00
56	cash:19:k5	withdrawal	2026-11-26 19:33:32.869132+00
57	adjust:19:up	adjustment	2026-11-26 19:33:32.896384+00
58	adjust:19:down	adjustment	2026-11-26 19:33:32.947449+00
\.
COPY public.hands (transfer, hand_id, table_id, started, ended, record, epoch, rake) FROM stdin;
31	1hf7yaw0g7jxjddh	t2	2023-11-14 22:13:22.064+00	2023-11-14 22:13:24.067+00	{"game": "holdem", "rake": 1, "unit": 1, "seats": [{"end": 0, "name": "p16", "owed": [0, 2, "big_blind"], "rake": 1, "seat": 3, "cards": ["6h", "2h"], "stack": 161, "account": 17}, {"end": 359, "name": "p14", "owed": [0, 1, "small_blind"], "rake": 0, "seat": 2, "cards": ["Ad", "9c"], "stack": 199, "account": 14}], "table": "t2", "button": 2, "events": [["post", 2, "small_blind", 1], ["post", 3, "big_blind", 2], ["raise", 2, 3, 4], ["call", 3, 2, 4], ["flop", "Kd", "As", "9h"], ["check", 3, 0, 0], ["bet", 2, 195, 195], ["call", 3, 157, 157], ["uncalled", 2, 38], ["show", 2], ["show", 3], ["turn", "8h"], ["river", "3s"], ["award", 0, 322, [[2, 321]], 1]], "betting": {}, "hand_id": "1hf7yaw0g7jxjddh", "version": 2, "ended_ms": 1700000004067, "big_blind": 2, "rake_unit": 1, "seats_max": 10, "structure": "no_limit", "rake_terms": {"bps": 250, "caps": [[2, 1]], "unit": 1, "min_pot": 0, "no_flop_no_drop": false}, "started_ms": 1700000002064, "small_blind": 1}	1	1
36	1hf7yaw0kq4wnn8r	t1	2023-11-14 22:13:22.067+00	2023-11-14 22:13:27.47+00	{"game": "holdem", "unit": 1, "seats": [{"end": 214, "name": "p16", "owed": [1, 2, "big_blind"], "seat": 3, "cards": ["9d", "Jc"], "stack": 200, "account": 17}, {"end": 186, "name": "p11", "owed": [1, 1, "small_blind"], "seat": 1, "cards": null, "stack": 200, "account": 11}], "table": "t1", "button": 1, "events": [["post", 3, "ante", 1], ["post", 1, "ante", 1], ["post", 1, "small_blind", 1], ["post", 3, "big_blind", 2], ["call", 1, 1, 2], ["check", 3, 0, 2], ["flop", "8s", "8d", "Ts"], ["check", 3, 0, 0], ["check", 1, 0, 0], ["turn", "6s"], ["check", 3, 0, 0], ["bet", 1, 3, 3], ["call", 3, 3, 3], ["river", "Qd"], ["bet", 3, 8, 8], ["call", 1, 8, 8], ["show", 3], ["muck", 1], ["award", 0, 28, [[3, 28]]]], "hidden": ["7627049dc2f45235", "Xhock/BOVwMQSj330VbF+HPGm3t6CCDk4qW+gjjxU5+saGlNu4nwixwuUYYm"], "betting": {}, "hand_id": "1hf7yaw0kq4wnn8r", "version": 2, "ended_ms": 1700000007470, "big_blind": 2, "seats_max": 5, "structure": "no_limit", "started_ms": 1700000002067, "small_blind": 1}	1	0
37	1hf7yaxzggbsxesa	t2	2023-11-14 22:13:24.08+00	2023-11-14 22:13:28.985+00	{"game": "holdem", "rake": 1, "unit": 1, "seats": [{"end": 517, "name": "p13", "owed": [0, 2, "big_blind"], "rake": 0, "seat": 4, "cards": ["Ks", "5d"], "stack": 172, "account": 13}, {"end": 28, "name": "p17", "owed": [0, 2, "live_post"], "rake": 1, "seat": 6, "cards": ["8s", "4s"], "stack": 200, "account": 16}, {"end": 198, "name": "p2", "owed": [0, 2, "live_post"], "rake": 0, "seat": 9, "cards": null, "stack": 200, "account": 2}, {"end": 187, "name": "p14", "owed": [0, 0, null], "rake": 0, "seat": 2, "cards": ["4c", "8c"], "stack": 359, "account": 14}], "table": "t2", "button": 2, "events": [["post", 4, "big_blind", 2], ["post", 6, "live_post", 2], ["post", 9, "live_post", 2], ["check", 6, 0, 2], ["check", 9, 0, 2], ["raise", 2, 4, 4], ["call", 4, 2, 4], ["raise", 6, 13, 15], ["fold", 9, 0, 2], ["raise", 2, 81, 85], ["call", 4, 81, 85], ["call", 6, 70, 85], ["flop", "3s", "3c", "2h"], ["bet", 4, 87, 87], ["raise", 6, 115, 115], ["call", 2, 115, 115], ["show", 6], ["show", 2], ["show", 4], ["turn", "9s"], ["river", "Ah"], ["award", 1, 56, [[6, 28], [2, 28]]], ["award", 0, 518, [[4, 517]], 1]], "hidden": ["7627049dc2f45235", "m76Qfh6FyQtcjo7Yd7C0b1V+9D2YnlreEZ+JkOI0TZcFvsC591sXT4g+i51T"], "betting": {}, "hand_id": "1hf7yaxzggbsxesa", "version": 2, "ended_ms": 1700000008985, "big_blind": 2, "rake_unit": 1, "seats_max": 10, "structure": "no_limit", "rake_terms": {"bps": 250, "caps": [[2, 1]], "unit": 1, "min_pot": 0, "no_flop_no_drop": false}, "started_ms": 1700000004080, "small_blind": 1}	1	1
39	1hf7yb1fyg510xdm	t1	2023-11-14 22:13:27.678+00	2023-11-14 22:13:31.016+00	{"game": "holdem", "unit": 1, "seats": [{"end": 212, "name": "p16", "owed": [1, 1, "small_blind"], "seat": 3, "cards": null, "stack": 214, "account": 17}, {"end": 488, "name": "p18", "owed": [1, 2, "big_blind"], "seat": 4, "cards": ["3s", "Kc"], "stack": 162, "account": 18}, {"end": 0, "name": "p15", "owed": [1, 2, "live_post"], "seat": 5, "cards": ["9h", "7c"], "stack": 177, "account": 15}, {"end": 39, "name": "p11", "owed": [1, 0, null], "seat": 1, "cards": ["Js", "Jd"], "stack": 186, "account": 11}], "table": "t1", "button": 1, "events": [["post", 3, "ante", 1], ["post", 4, "ante", 1], ["post", 5, "ante", 1], ["post", 1, "ante", 1], ["post", 3, "small_blind", 1], ["post", 4, "big_blind", 2], ["post", 5, "live_post", 2], ["raise", 5, 174, 176], ["raise", 1, 185, 185], ["fold", 3, 0, 1], ["call", 4, 159, 161], ["uncalled", 1, 9], ["show", 1], ["show", 4], ["show", 5], ["flop", "As", "5h", "3h"], ["turn", "Kd"], ["river", "Th"], ["award", 1, 30, [[1, 30]]], ["award", 0, 488, [[4, 488]]]], "hidden": ["7627049dc2f45235", "j8Bic/cux1GhsnTnjOkrap/z3AD6RGfGyvgQqEIjBWIaH2tg18dIDIzvDdqy"], "betting": {}, "hand_id": "1hf7yb1fyg510xdm", "version": 2, "ended_ms": 1700000011016, "big_blind": 2, "seats_max": 5, "structure": "no_limit", "started_ms": 1700000007678, "small_blind": 1}	1	0
41	1hf7yb4yxrt7378s	t1	2023-11-14 22:13:31.229+00	2023-11-14 22:13:35.414+00	{"game": "holdem", "unit": 1, "seats": [{"end": 483, "name": "p18", "owed": [1, 1, "small_blind"], "seat": 4, "cards": null, "stack": 488, "account": 18}, {"end": 36, "name": "p11", "owed": [1, 2, "big_blind"], "seat": 1, "cards": null, "stack": 39, "account": 11}, {"end": 220, "name": "p16", "owed": [1, 0, null], "seat": 3, "cards": null, "stack": 212, "account": 17}], "table": "t1", "button": 3, "events": [["post", 4, "ante", 1], ["post", 1, "ante", 1], ["post", 3, "ante", 1], ["post", 4, "small_blind", 1], ["post", 1, "big_blind", 2], ["call", 3, 2, 2], ["raise", 4, 3, 4], ["fold", 1, 0, 2], ["call", 3, 2, 4], ["flop", "As", "Qs", "7c"], ["check", 4, 0, 0], ["bet", 3, 2, 2], ["fold", 4, 0, 0], ["uncalled", 3, 2], ["award", 0, 13, [[3, 13]]]], "hidden": ["7627049dc2f45235", "mPsqJVMwoOpJeequxvrUAXPYHzRe9Y1cTTgF+NEL0rt6JD8tuGbSw+WAb/S/dy+rHqBb04nwH5m15oN4yguyatX5v0hPoTnUXX0HgAo="], "betting": {}, "hand_id": "1hf7yb4yxrt7378s", "version": 2, "ended_ms": 1700000015414, "big_blind": 2, "seats_max": 5, "structure": "no_limit", "started_ms": 1700000011229, "small_blind": 1}	1	0
42	1hf7yb2s45e04cgg	t2	2023-11-14 22:13:28.996+00	2023-11-14 22:13:37.493+00	{"game": "holdem", "rake": 1, "unit": 1, "seats": [{"end": 27, "name": "p17", "owed": [0, 1, "small_blind"], "rake": 0, "seat": 6, "cards": null, "stack": 28, "account": 16}, {"end": 720, "name": "p4", "owed": [0, 2, "big_blind"], "rake": 1, "seat": 7, "cards": ["Js", "4s"], "stack": 200, "account": 4}, {"end": 0, "name": "p1", "owed": [0, 2, "live_post"], "rake": 0, "seat": 8, "cards": ["7s", "Qs"], "stack": 122, "account": 1}, {"end": 0, "name": "p2", "owed": [0, 0, null], "rake": 0, "seat": 9, "cards": ["Jd", "2s"], "stack": 198, "account": 2}, {"end": 187, "name": "p14", "owed": [0, 0, null], "rake": 0, "seat": 2, "cards": null, "stack": 187, "account": 14}, {"end": 317, "name": "p13", "owed": [0, 0, null], "rake": 0, "seat": 4, "cards": ["5s", "5d"], "stack": 517, "account": 13}], "table": "t2", "button": 4, "events": [["post", 6, "small_blind", 1], ["post", 7, "big_blind", 2], ["post", 8, "live_post", 2], ["check", 8, 0, 2], ["call", 9, 2, 2], ["fold", 2, 0, 0], ["call", 4, 2, 2], ["fold", 6, 0, 1], ["check", 7, 0, 2], ["flop", "Ts", "8s", "Jc"], ["check", 7, 0, 0], ["check", 8, 0, 0], ["check", 9, 0, 0], ["check", 4, 0, 0], ["turn", "4h"], ["check", 7, 0, 0], ["check", 8, 0, 0], ["check", 9, 0, 0], ["bet", 4, 515, 515], ["call", 7, 198, 198], ["call", 8, 120, 120], ["call", 9, 196, 196], ["uncalled", 4, 317], ["show", 4], ["show", 7], ["show", 8], ["show", 9], ["river", "3d"], ["award", 2, 4, [[7, 4]]], ["award", 1, 228, [[7, 228]]], ["award", 0, 489, [[7, 488]], 1]], "hidden": ["7627049dc2f45235", "k3yV9trrpVcP6Gl3O9KjIkZ3fDpmp/vRfvcxkbiubtyaZIiXhfutPby2NJyx8Pvo4dhKpLlE1rakn2qRXA=="], "betting": {}, "hand_id": "1hf7yb2s45e04cgg", "version": 2, "ended_ms": 1700000017493, "big_blind": 2, "rake_unit": 1, "seats_max": 10, "structure": "no_limit", "rake_terms": {"bps": 250, "caps": [[2, 1]], "unit": 1, "min_pot": 0, "no_flop_no_drop": false}, "started_ms": 1700000008996, "small_blind": 1}	1	1
47	1hf7yb9811bh1t22	t1	2023-11-14 22:13:35.617+00	2023-11-14 22:13:41.734+00	{"game": "holdem", "unit": 1, "seats": [{"end": 34, "name": "p11", "owed": [1, 1, "small_blind"], "seat": 1, "cards": null, "stack": 36, "account": 11}, {"end": 132, "name": "p6", "owed": [1, 2, "big_blind"], "seat": 2, "cards": null, "stack": 108, "account": 6}, {"end": 199, "name": "p16", "owed": [1, 0, null], "seat": 3, "cards": null, "stack": 220, "account": 17}, {"end": 482, "name": "p18", "owed": [1, 0, null], "seat": 4, "cards": null, "stack": 483, "account": 18}], "table": "t1", "button": 4, "events": [["post", 1, "ante", 1], ["post", 2, "ante", 1], ["post", 3, "ante", 1], ["post", 4, "ante", 1], ["post", 1, "small_blind", 1], ["post", 2, "big_blind", 2], ["call", 3, 2, 2], ["fold", 4, 0, 0], ["fold", 1, 0, 1], ["check", 2, 0, 2], ["flop", "2c", "Js", "Qh"], ["check", 2, 0, 0], ["check", 3, 0, 0], ["turn", "8c"], ["check", 2, 0, 0], ["check", 3, 0, 0], ["river", "6h"], ["bet", 2, 3, 3], ["raise", 3, 18, 18], ["raise", 2, 102, 105], ["fold", 3, 0, 18], ["uncalled", 2, 87], ["award", 0, 45, [[2, 45]]]], "hidden": ["7627049dc2f45235", "3uPvaho8Pu0BYMs+essNz7eD0UPyGd44zAmocZon+1SiQ3WPmQn8IsgMAr82AHqzG+TRyDF1/GGCn/LjN4ZsfqMPi3C0mASrFDvZZBsSQ/ruxK0aQ8mIvrHTWyUu"], "betting": {}, "hand_id": "1hf7yb9811bh1t22", "version": 2, "ended_ms": 1700000021734, "big_blind": 2, "seats_max": 5, "structure": "no_limit", "started_ms": 1700000015617, "small_blind": 1}	1	0
48	1hf7ybb2xzvh08dk	t2	2023-11-14 22:13:37.501+00	2023-11-14 22:13:53.217+00	{"game": "holdem", "rake": 1, "unit": 1, "seats": [{"end": 847, "name": "p4", "owed": [0, 1, "small_blind"], "rake": 1, "seat": 7, "cards": ["3s", "8s"], "stack": 720, "account": 4}, {"end": 150, "name": "p9", "owed": [0, 2, "big_blind"], "rake": 0, "seat": 10, "cards": null, "stack": 200, "account": 9}, {"end": 161, "name": "p14", "owed": [0, 0, null], "rake": 0, "seat": 2, "cards": null, "stack": 187, "account": 14}, {"end": 279, "name": "p13", "owed": [0, 0, null], "rake": 0, "seat": 4, "cards": null, "stack": 317, "account": 13}, {"end": 185, "name": "p17", "owed": [0, 0, null], "rake": 0, "seat": 6, "cards": null, "stack": 199, "account": 16}], "table": "t2", "button": 6, "events": [["post", 7, "small_blind", 1], ["post", 10, "big_blind", 2], ["call", 2, 2, 2], ["call", 4, 2, 2], ["raise", 6, 14, 14], ["call", 7, 13, 14], ["call", 10, 12, 14], ["raise", 2, 24, 26], ["call", 4, 24, 26], ["fold", 6, 0, 14], ["call", 7, 12, 26], ["raise", 10, 24, 38], ["fold", 2, 0, 26], ["call", 4, 12, 38], ["raise", 7, 24, 50], ["call", 10, 12, 50], ["fold", 4, 0, 38], ["flop", "Ac", "As", "4h"], ["check", 7, 0, 0], ["check", 10, 0, 0], ["turn", "8h"], ["check", 7, 0, 0], ["check", 10, 0, 0], ["river", "5c"], ["check", 7, 0, 0], ["check", 10, 0, 0], ["show", 7], ["muck", 10], ["award", 0, 178, [[7, 177]], 1]], "hidden": ["7627049dc2f45235", "fHKgtXeLsra8D0iPL0ZFfIAtmxAZ62ezFAraPjyTRlbal6M63twRChWW3X92nnZrLFzBl9XKIu87VBw9+2X9DhCQeDyNcxecirm1rO9yPBZXZgaBl/4/HV6D+z+sOQ=="], "betting": {}, "hand_id": "1hf7ybb2xzvh08dk", "version": 2, "ended_ms": 1700000033217, "big_blind": 2, "rake_unit": 1, "seats_max": 10, "structure": "no_limit", "rake_terms": {"bps": 250, "caps": [[2, 1]], "unit": 1, "min_pot": 0, "no_flop_no_drop": false}, "started_ms": 1700000017501, "small_blind": 1}	1	1
\.
COPY public.ledger_accounts (id, kind, owner, table_id, balance, code) FROM stdin;
1	issuer	\N	\N	-1000000000000000	issuer
3	house	\N	\N	0	house
4	fees	\N	\N	0	fees
5	tronc	\N	\N	0	tronc
13	wallet	7	\N	49999800	wallet:7
12	wallet	6	\N	49999892	wallet:6
9	wallet	3	\N	106	wallet:3
11	wallet	5	\N	503	wallet:5
7	wallet	1	\N	0	wallet:1
14	wallet	8	\N	50000000	wallet:8
10	wallet	4	\N	161	wallet:4
15	wallet	9	\N	49999800	wallet:9
16	wallet	10	\N	50000000	wallet:10
26	stack	17	t2	100	stack:t2:17
25	wallet	17	\N	19539	wallet:17
17	wallet	11	\N	49999800	wallet:11
20	wallet	14	\N	0	wallet:14
8	wallet	2	\N	49999760	wallet:2
19	wallet	13	\N	49999828	wallet:13
29	stack	12	t2	130	stack:t2:12
18	wallet	12	\N	49999870	wallet:12
22	wallet	16	\N	49999627	wallet:16
30	wallet	18	\N	19838	wallet:18
21	wallet	15	\N	180	wallet:15
27	stack	17	t1	199	stack:t1:17
23	stack	11	t1	34	stack:t1:11
28	stack	13	t2	279	stack:t2:13
24	stack	14	t2	161	stack:t2:14
2	bank	\N	\N	999999489858152	bank
6	held	\N	\N	1005	held
32	stack	7	t2	200	stack:t2:7
37	stack	1	t2	0	stack:t2:1
35	stack	2	t2	40	stack:t2:2
39	stack	15	t1	200	stack:t1:15
33	stack	6	t1	132	stack:t1:6
31	stack	18	t1	482	stack:t1:18
40	stack	9	t2	150	stack:t2:9
36	rake:t2	\N	t2	4	rake:t2
38	stack	4	t2	847	stack:t2:4
34	stack	16	t2	186	stack:t2:16
41	wallet	19	\N	99392	wallet:19
42	source:desk	\N	desk	9999603	source:desk
\.
COPY public.legs (transfer, ledger_account, amount) FROM stdin;
1	1	-1000000000000000
1	2	1000000000000000
2	2	-122
2	7	122
3	2	-50000000
3	8	50000000
4	2	-106
4	9	106
5	2	-361
5	10	361
6	2	-503
6	11	503
7	2	-50000000
7	12	50000000
8	2	-50000000
8	13	50000000
9	2	-50000000
9	14	50000000
10	2	-50000000
10	15	50000000
11	2	-50000000
11	16	50000000
12	2	-50000000
12	17	50000000
13	2	-50000000
13	18	50000000
14	2	-50000000
14	19	50000000
15	2	-199
15	20	199
16	2	-557
16	21	557
17	2	-50000000
17	22	50000000
18	17	-200
18	23	200
19	20	-199
19	24	199
20	2	-20000
20	25	20000
21	25	-161
21	26	161
22	25	-200
22	27	200
23	19	-172
23	28	172
24	18	-130
24	29	130
25	2	-20000
25	30	20000
26	30	-162
26	31	162
27	13	-200
27	32	200
28	12	-108
28	33	108
29	22	-200
29	34	200
30	8	-200
30	35	200
31	26	-161
31	24	160
31	36	1
32	7	-122
32	37	122
33	10	-200
33	38	200
34	21	-177
34	39	177
35	15	-200
35	40	200
36	27	14
36	23	-14
37	28	345
37	34	-172
37	35	-2
37	24	-172
37	36	1
38	22	-172
38	34	172
39	27	-2
39	31	326
39	39	-177
39	23	-147
40	25	-100
40	26	100
41	31	-5
41	23	-3
41	27	8
42	34	-1
42	38	520
42	37	-122
42	35	-198
42	28	-200
42	36	1
43	8	-40
43	35	40
44	22	-1
44	34	1
45	21	-200
45	39	200
47	23	-2
47	33	24
47	27	-21
47	31	-1
48	38	127
48	40	-50
48	24	-26
48	28	-38
48	34	-14
48	36	1
49	2	-100000
49	41	100000
50	2	-10000000
50	42	10000000
51	42	-1000
51	41	1000
52	41	-1003
52	6	1003
53	6	-1003
53	42	1003
54	41	-1004
54	6	1004
55	6	-1004
55	41	1004
56	41	-1005
56	6	1005
57	42	-700
57	41	700
58	41	-300
58	42	300
\.
COPY public.operator_log (n, at_ms, who, role, verb, subject, args, reason, result, address, prev_hash, hash) FROM stdin;
1	1795721612590	carla	cashier	cashier.open	desk	{}	a test	done		\\x0000000000000000000000000000000000000000000000000000000000000000	\\xa9d37be2c78c7995c4abfd995560038132fe6f3f37d8734b50400a5dad458de2
2	1795721612610	carla	cashier	cashier.fund	desk	{"amount" : 10000000, "key" : "first"}	a test	done		\\xa9d37be2c78c7995c4abfd995560038132fe6f3f37d8734b50400a5dad458de2	\\x2accada38b85f149268fc82bdd5f2b91e5e6095f71a781fb4e274b6b3a0ad105
3	1795721612657	carla	cashier	cashier.approve	account:19	{"amount" : 1000, "kind" : "deposit", "note" : "", "number" : 1, "source" : "desk"}	a test	done		\\x2accada38b85f149268fc82bdd5f2b91e5e6095f71a781fb4e274b6b3a0ad105	\\x3888f017372461b3ee7a98085bbce8eda5cde9d9869d6f112427ce74a2d30a30
4	1795721612698	carla	cashier	cashier.refuse	account:19	{"amount" : 1001, "kind" : "deposit", "note" : "", "number" : 2, "source" : "desk"}	a test	done		\\x3888f017372461b3ee7a98085bbce8eda5cde9d9869d6f112427ce74a2d30a30	\\x26febc2d617108712cc08ec3368c514d9dba8c7cad7366a707840c62e9c2e48c
5	1795721612779	carla	cashier	cashier.approve	account:19	{"amount" : 1003, "kind" : "withdrawal", "note" : "", "number" : 4, "source" : "desk"}	a test	done		\\x26febc2d617108712cc08ec3368c514d9dba8c7cad7366a707840c62e9c2e48c	\\x24a6065d720bf4167fc9e0045d7e02cad9c3492b53e881c5cd825f2ac0854f61
6	1795721612836	carla	cashier	cashier.refuse	account:19	{"amount" : 1004, "kind" : "withdrawal", "note" : "", "number" : 5, "source" : "desk"}	a test	done		\\x24a6065d720bf4167fc9e0045d7e02cad9c3492b53e881c5cd825f2ac0854f61	\\x9e0b6b2b1579e4d23c4fc310df6e9be0bdd28d304212bc42719bcba6df85a311
7	1795721612923	carla	cashier	cashier.adjust	account:19	{"amount" : 700, "key" : "up", "number" : 1, "source" : "desk"}	a test	done		\\x9e0b6b2b1579e4d23c4fc310df6e9be0bdd28d304212bc42719bcba6df85a311	\\xf0a9192a5eb9f985265c79a4995dd6707573f3b75c6fab4466e644c0ca2fa715
8	1795721612950	carla	cashier	cashier.adjust	account:19	{"amount" : -300, "key" : "down", "number" : 2, "source" : "desk"}	a test	done		\\xf0a9192a5eb9f985265c79a4995dd6707573f3b75c6fab4466e644c0ca2fa715	\\x48ace35bc887feb79211bd884b74de71386e9b78aa178eaa32b70d6537c8277c
9	1795721613108	carla	cashier	cashier.close	desk	{}	a test	done		\\x48ace35bc887feb79211bd884b74de71386e9b78aa178eaa32b70d6537c8277c	\\xac98a099cbb3c3307eea692fb01930e31c8da5f86ce055c1094bb9b288d6d820
\.
COPY public.retention (id, hands_days, erased_to) FROM stdin;
1	0	0
\.
COPY public.rounds (transfer, round_id, table_id, epoch, started) FROM stdin;
\.
COPY public.round_ends (round, transfer, epoch, ended, void, house, fed, paid, reseeded, tronc, record) FROM stdin;
\.
COPY public.round_stakes (round, transfer, account, kind, amount) FROM stdin;
\.
