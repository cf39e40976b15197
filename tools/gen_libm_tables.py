#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause-Patent
"""Write src/engine/base/libm_tables.h, the tables of the engine's own libm.

Every entry is computed here with 80 decimal digits and rounded once. Four lists
are input and not computed: the points at which the tables of log, log2 and powf
are taken. Their publisher (Arm's optimized routines, which glibc uses) found them by
a search for points whose logarithm is very near to a double. A wrong point cannot hide:
this script refuses one that is outside its interval or whose logarithm
is not as near to a double as the search demanded. The list of the arctangent (IBM's
library, which glibc uses) has points found likewise and coefficients fitted by its publisher.
This script refuses coefficients whose polynomial is not the arctangent to 2^-59. A wrong last
bit of one shows only against the C library (tests/math).

Usage: gen_libm_tables.py [--check] HEADER
--check compares HEADER with what would be written and fails if they differ.
"""
import argparse
import decimal
import struct
import sys
from decimal import Decimal
from fractions import Fraction

decimal.getcontext().prec = 80
LN2 = Decimal(2).ln()

# 1 / c for a c near the middle of each of 128, 64 and 16 intervals: digits after "0x1.".
LOG_INVERSES = """
    734f0c3e0de9fp0 713786a2ce91fp0 6f26008fab5ap0 6d1a61f138c7dp0 6b1490bc5b4d1p0
    69147332f0cbap0 6719f18224223p0 6524f99a51ed9p0 63356aa8f24c4p0 614b36b9ddc14p0
    5f66452c65c4cp0 5d867b5912c4fp0 5babccb5b90dep0 59d61f2d91a78p0 5805612465687p0
    56397cee76bd3p0 54725e2a77f93p0 52aff42064583p0 50f22dbb2bddfp0 4f38f4734ded7p0
    4d843cfde284p0 4bd3ec078a3c8p0 4a27fc3e0258ap0 4880524d48434p0 46dce1b192d0bp0
    453d9d3391854p0 43a2744b4845ap0 420b54115f8fbp0 40782da3ef4b1p0 3ee8f5d57fe8fp0
    3d5d9a00b4ce9p0 3bd60c010c12bp0 3a5242b75dab8p0 38d22cd9fd002p0 3755bc5847a1cp0
    35dce49ad36e2p0 34679984dd44p0 32f5cceffcb24p0 3187775a10d49p0 301c8373e399p0
    2eb4ebb95f841p0 2d50a0219a9d1p0 2bef9a8b7fd2ap0 2a91c7a0c1babp0 293726014b53p0
    27dfa5757a1f5p0 268b39b1d3bbfp0 2539d838ff5bdp0 23eb7aac9083bp0 22a012ba940b6p0
    2157996cc4132p0 201201dd2fc9bp0 1ecf4494d480bp0 1d8f5528f6569p0 1c52311577e7cp0
    1b17c74cb26e9p0 19e010c2c1ab6p0 18ab07bb670bdp0 1778a25efbcb6p0 1648d354c31dap0
    151b990275fddp0 13f0ea432d24cp0 12c8b7210f9dap0 11a3028ecb531p0 107fbda8434afp0
    0f5ee0f4e6bb3p0 0e4065d2a9fcep0 0d244632ca521p0 0c0a77ce2981ap0 0af2f83c636d1p0
    09ddb98a01339p0 08cabaf52e7dfp0 07b9f2f4e28fbp0 06ab58c358f19p0 059eea5ecf92cp0
    04949cdd12c9p0 038c6c6f0ada9p0 02865137932a9p0 0182427ea7348p0 008040614b195p0
    fe01ff726fa1ap-1 fa11cc261ea74p-1 f6310b081992ep-1 f25f63ceeadcdp-1 ee9c8039113e7p-1
    eae8078cbb1abp-1 e741aa29d0c9bp-1 e3a91830a99b5p-1 e01e009609a56p-1 dca01e577bb98p-1
    d92f20b7c9103p-1 d5cac66fb5ccep-1 d272caa5ede9dp-1 cf26e3e6b2ccdp-1 cbe6da2a77902p-1
    c8b266d37086dp-1 c5894bd5d5804p-1 c26b533bb9f8cp-1 bf583eeece73fp-1 bc4fd75db96c1p-1
    b951e0c864a28p-1 b65e2c5ef3e2cp-1 b374867c9888bp-1 b094b211d304ap-1 adbe885f2ef7ep-1
    aaf1d31603da2p-1 a82e63fd358a7p-1 a5740ef09738bp-1 a2c2a90ab4b27p-1 a01a01393f2d1p-1
    9d79f24db3c1bp-1 9ae2505c7b19p-1 9852ef297ce2fp-1 95cbaeea44b75p-1 934c69de74838p-1
    90d4f2f6752e6p-1 8e6528effd79dp-1 8bfce9fcc007cp-1 899c0dabec30ep-1 87427aa2317fbp-1
    84f00acb39a08p-1 82a49e8653e55p-1 8060195f4026p-1 7e22563e0a329p-1 7beb377dcb5adp-1
    79baa679725c2p-1 77907f2170657p-1 756cadbd6130cp-1
"""
LOG2_INVERSES = """
    724286bb1acf8p0 6e1f766d2cca1p0 6a13d0e30d48ap0 661ec32d06c85p0 623fa951198f8p0
    5e75ba4cf026cp0 5ac055a214fb8p0 571ed0f166e1ep0 53909590bf835p0 5014fed61adddp0
    4cab88e487bdp0 49539b4334feep0 460cbdfafd569p0 42d664ee4b953p0 3fb01111dd8a6p0
    3c995b70c5836p0 3991c4ab6fd4ap0 3698e0ce099b5p0 33ae48213e7b2p0 30d191985bdb1p0
    2e025cab271d7p0 2b404cf13cd82p0 288b02c7ccb5p0 25e2263944de5p0 234563d8615b1p0
    20b46e33eaf38p0 1e2eefdcda3ddp0 1bb4a580b393p0 19453847f22p0 16e06c0d5d73cp0 1485f47b7e4c2p0
    12358ad0085d1p0 0fef00f532227p0 0db2077d03a8fp0 0b7e6d65980d9p0 0953efe7b408dp0
    07325cac53b83p0 05197e40d1b5cp0 03091c1208ea2p0 0101025b37e21p0 fc07ef9caa76bp-1
    f4465d3f6f184p-1 ecc079f84107fp-1 e573a99975ae8p-1 de5d6f0bd3de6p-1 d77b681ff38b3p-1
    d0cb5724de943p-1 ca4b2dc0e7563p-1 c3f8ee8d6cb51p-1 bdd2b4f020c4cp-1 b7d6c006015cap-1
    b20366e2e338fp-1 ac57026295039p-1 a6d01bc2731ddp-1 a16d3bc3ff18bp-1 9c2d14967feadp-1
    970e4f47c9902p-1 920fb3982bcf2p-1 8d30187f759f1p-1 886e5ebb9f66dp-1 83c97b658b994p-1
    7f405ffc61022p-1 7ad22181415cap-1 767dcf99eff8cp-1
"""
POWF_INVERSES = """
    661ec79f8f3bep0 571ed4aaf883dp0 49539f0f010bp0 3c995b0b80385p0 30d190c8864a5p0
    25e227b0b8eap0 1bb4a4a1a343fp0 12358f08ae5bap0 0953f419900a7p0 0p0 e608cfd9a47acp-1
    ca4b31f026aap-1 b2036576afce6p-1 9c2d163a1aa2dp-1 886e6037841edp-1 767dcf5534862p-1
"""

# A point x near each of (16 + i) / 256, and the coefficients of v^2 .. v^5 of a polynomial
# for arctan(x + v); its first two coefficients are computed.
ATAN_POINTS = """
    0x1.0400665e0244ep-4 -0x1.01eb3ce2ae4c2p-4 -0x1.4d29edd58a40dp-2 0x1.fda4ad907a18ap-5 0x1.814df4df65b18p-3
    0x1.0fffdb9b88cd8p-4 -0x1.0d9dc669c1aedp-4 -0x1.4c669f7138de2p-2 0x1.0a12f29d085a7p-4 0x1.7f0eecfd48d2p-3
    0x1.1fff15a73d4f1p-4 -0x1.1d2b7b69dea4p-4 -0x1.4b5523922ecc9p-2 0x1.18f93522b1a04p-4 0x1.7bead5660f061p-3
    0x1.2fffdb2524aa2p-4 -0x1.2cad84aab7374p-4 -0x1.4a34b58dd2fb2p-2 0x1.27c0ad0cecc18p-4 0x1.789d25d2743d7p-3
    0x1.3fffe0573f3acp-4 -0x1.3c20f64db3686p-4 -0x1.49059eb3bfe93p-2 0x1.36659caf74fedp-4 0x1.752691c011fbp-3
    0x1.4ffef894384d6p-4 -0x1.4b84f7b5457c9p-4 -0x1.47c807401f2f9p-2 0x1.44e64b4f67209p-4 0x1.7187d4c540b77p-3
    0x1.5fff8df406528p-4 -0x1.5adb2cb7fa73bp-4 -0x1.467be2b1eb555p-2 0x1.5343599edc463p-4 0x1.6dc1b238f5059p-3
    0x1.7000f8c4f0d56p-4 -0x1.6a2244d98e1adp-4 -0x1.4521614064df1p-2 0x1.617aa2ba78a66p-4 0x1.69d4f50a3d7acp-3
    0x1.8000fbb4057cfp-4 -0x1.7957731d9c773p-4 -0x1.43b8db6dc7d72p-2 0x1.6f88ad69547dfp-4 0x1.65c26f633ce8cp-3
    0x1.8fff239cf2b7fp-4 -0x1.8879a69b9cdb5p-4 -0x1.4242885feafa9p-2 0x1.7d6bab6191a0ep-4 0x1.618afa7cb8bb5p-3
    0x1.9fff96e2f0772p-4 -0x1.978c253f6ea97p-4 -0x1.40be3089c36f6p-2 0x1.8b25c885aeb77p-4 0x1.5d2f763cadce1p-3
    0x1.b00026316b097p-4 -0x1.a68c376f14e4bp-4 -0x1.3f2c31696cd7cp-2 0x1.98b3b722a2cb4p-4 0x1.58b0c9067ad62p-3
    0x1.c0008604f58b1p-4 -0x1.b578f3d5ac0a4p-4 -0x1.3d8cbf767119fp-2 0x1.a613dc7e31b88p-4 0x1.540fdf5594565p-3
    0x1.d00026cca4ebap-4 -0x1.c45135bcac5fep-4 -0x1.3be018b5236f1p-2 0x1.b34472e99197p-4 0x1.4f4dab8adb373p-3
    0x1.dfff4b2b47fcap-4 -0x1.d3149f0966844p-4 -0x1.3a266744f9a5fp-2 0x1.c0446edb7f27ap-4 0x1.4a6b2583f9ecap-3
    0x1.f000aa9a05bep-4 -0x1.e1c512287a677p-4 -0x1.385f8edc130bbp-2 0x1.cd14bf306ff5p-4 0x1.45694a667a72bp-3
    0x1.ffffaba8f63dep-4 -0x1.f05dbd1518706p-4 -0x1.368c44687a69cp-2 0x1.d9b081b3868dap-4 0x1.40491c345adfcp-3
    0x1.07ffa6eccada8p-3 -0x1.fee0c861df0dfp-4 -0x1.34ac65a586c0cp-2 0x1.e618f189d637ap-4 0x1.3b0ba195779d4p-3
    0x1.1000333432713p-3 -0x1.06a72e15cb19ap-3 -0x1.32c00b8db761ep-2 0x1.f24d8a11f5e3ep-4 0x1.35b1e569e85ddp-3
    0x1.17ffcda1c4811p-3 -0x1.0dd170b33969bp-3 -0x1.30c7d33ac50d1p-2 0x1.fe4aa9be43f0fp-4 0x1.303cf692539cbp-3
    0x1.1ffff3cca418dp-3 -0x1.14f03acac8aa8p-3 -0x1.2ec3962e675a3p-2 0x1.0508c2fa6b426p-3 0x1.2aade780a6467p-3
    0x1.27ff7d9c78922p-3 -0x1.1c023e5de2394p-3 -0x1.2cb3d6bee0abdp-2 0x1.0acfb5e075c1ap-3 0x1.2505cdffe453ap-3
    0x1.2fff7a1fc1aaap-3 -0x1.2308261514083p-3 -0x1.2a9887f7b72d5p-2 0x1.107a77c887402p-3 0x1.1f45c2c3cd6d1p-3
    0x1.380059d78e15ep-3 -0x1.2a020d85b87a9p-3 -0x1.2871c2e4ab369p-2 0x1.1608dc31a65d9p-3 0x1.196ee130bbe5p-3
    0x1.400049f431b1ap-3 -0x1.30ee1b3dd00edp-3 -0x1.26403f8482664p-2 0x1.1b792fe136626p-3 0x1.138246eac744p-3
    0x1.48004e01d95a1p-3 -0x1.37ccf0a5279aap-3 -0x1.2403f3b151d5dp-2 0x1.20cbbe331c9e6p-3 0x1.0d81139e3f097p-3
    0x1.4fff7aa9382ddp-3 -0x1.3e9d85b43915cp-3 -0x1.21bd5eb8845a2p-2 0x1.25ff8ac6ac8adp-3 0x1.076c688ed96cap-3
    0x1.58006352408bep-3 -0x1.4561cb9be855p-3 -0x1.1f6c00053f52ep-2 0x1.2b15def783be9p-3 0x1.014568615239bp-3
    0x1.5ffff2b193f81p-3 -0x1.4c16e9098b3d2p-3 -0x1.1d10f8f058241p-2 0x1.300c6a14fa897p-3 0x1.f61a6d56607cp-4
    0x1.680084460e6e1p-3 -0x1.52be9d62fa883p-3 -0x1.1aabd69a74048p-2 0x1.34e451679eb02p-3 0x1.e989ef7c14c3dp-4
    0x1.6fffb9e99a846p-3 -0x1.5956b76a2fe63p-3 -0x1.183d8ddc78ddfp-2 0x1.399bdac606d66p-3 0x1.dcdba070d286ap-4
    0x1.780080ffcd49p-3 -0x1.5fe167d6ff9bcp-3 -0x1.15c579fadd384p-2 0x1.3e34773e52d32p-3 0x1.d011c9a65ae4bp-4
    0x1.80006148e79c1p-3 -0x1.665c70e1ef36dp-3 -0x1.13449ccbcbdabp-2 0x1.42ac75c71b3e8p-3 0x1.c32eb3e81980ep-4
    0x1.880060f487c17p-3 -0x1.6cc8737e644bap-3 -0x1.10bae60597557p-2 0x1.4704313e26fbep-3 0x1.b634a6fb18bf4p-4
    0x1.90004d3518d76p-3 -0x1.732512a6ebac3p-3 -0x1.0e28a6924232fp-2 0x1.4b3b573bcc03fp-3 0x1.a925e8c72507fp-4
    0x1.97fffd2f20d5cp-3 -0x1.7971fc308255fp-3 -0x1.0b8e2d572d28fp-2 0x1.4f51a337448fep-3 0x1.9c04bcfcbc62p-4
    0x1.a0005bf80f06p-3 -0x1.7fafb6e96e5c1p-3 -0x1.08eb6ec6ad647p-2 0x1.53475f53d0ba6p-3 0x1.8ed364433c20ep-4
    0x1.a7ff7deeca8e4p-3 -0x1.85dc958149b1cp-3 -0x1.06414f933a1abp-2 0x1.571b760c45a8fp-3 0x1.81941be58c308p-4
    0x1.affff7defd553p-3 -0x1.8bfa67f9dea61p-3 -0x1.038f35a474e8fp-2 0x1.5acf030c225d2p-3 0x1.74491d062812fp-4
    0x1.b7ffe669932a5p-3 -0x1.92078e075d95ap-3 -0x1.00d60526793c4p-2 0x1.5e61073842a52p-3 0x1.66f49c5331d5ap-4
    0x1.bfff9b44759f3p-3 -0x1.98041cfb9203dp-3 -0x1.fc2bcbed91b37p-3 0x1.61d196d4fc2fcp-3 0x1.5998c9411537ep-4
    0x1.c80075568f3ecp-3 -0x1.9df0ef522b132p-3 -0x1.f69d42179c242p-3 0x1.6521336646fcdp-3 0x1.4c37cdc699095p-4
    0x1.cfff8601a799fp-3 -0x1.a3cbb3a403934p-3 -0x1.f102fd490be32p-3 0x1.684ea037d4137p-3 0x1.3ed3cd9ec855ap-4
    0x1.d7ff97bbf1497p-3 -0x1.a996515aade2cp-3 -0x1.eb5b90b44b682p-3 0x1.6b5af92ec8d57p-3 0x1.316ee60d831aep-4
    0x1.e000840209b2p-3 -0x1.af5082186af0fp-3 -0x1.e5a799420489dp-3 0x1.6e462454feb2cp-3 0x1.240b2d2945a8cp-4
    0x1.e8000c0ae943cp-3 -0x1.b4f889439f69fp-3 -0x1.dfe93798de6p-3 0x1.710f58f267389p-3 0x1.16aab1a8a373ep-4
    0x1.f00036d532803p-3 -0x1.ba8fb6e31f768p-3 -0x1.da1f7e6a382e3p-3 0x1.73b75b36ac4cp-3 0x1.094f7a3470b0ap-4
    0x1.f7ffa48b8afc3p-3 -0x1.c014f598207d6p-3 -0x1.d44bf1efe809ap-3 0x1.763dc698a561ep-3 0x1.f7f70a7cf78a3p-5
    0x1.00002eb334faep-2 -0x1.c5898c555d571p-3 -0x1.ce6d9b706cf86p-3 0x1.78a350823f643p-3 0x1.dd6190b9118e8p-5
    0x1.03ffca8af86fep-2 -0x1.caeb76c3246ffp-3 -0x1.c8870d6e19ad3p-3 0x1.7ae73d2c48e91p-3 0x1.c2e260510fdbp-5
    0x1.07ffcd38984b7p-2 -0x1.d03c29afe5028p-3 -0x1.c29719a2c1833p-3 0x1.7d0a569041dcfp-3 0x1.a87d3f497c653p-5
    0x1.0bfff1ed2add7p-2 -0x1.d57b2c777881ep-3 -0x1.bc9ea8692b503p-3 0x1.7f0c942abf9e7p-3 0x1.8e35e04b42bb4p-5
    0x1.10003a8515cdap-2 -0x1.daa867983ede4p-3 -0x1.b69e3999706b6p-3 0x1.80ee1b0f126dbp-3 0x1.740fe17ee9babp-5
    0x1.14001f3af9cc5p-2 -0x1.dfc316863b28bp-3 -0x1.b0971c55b8d5ap-3 0x1.82aeda6731aacp-3 0x1.5a0ecc73bd8fp-5
    0x1.18003b6122509p-2 -0x1.e4cbeb9ba6b7ep-3 -0x1.aa88e90c2431cp-3 0x1.844f48bcbda5ep-3 0x1.4036150e585ffp-5
    0x1.1bfffa6a2a153p-2 -0x1.e9c219621d6a2p-3 -0x1.a475022627b04p-3 0x1.85cf5ff8b908ep-3 0x1.268919833c0d6p-5
    0x1.1fffd2d345aafp-2 -0x1.eea622aa756aep-3 -0x1.9e5b347ed9793p-3 0x1.872f887ab542ap-3 0x1.0d0b2158e9e9ap-5
    0x1.23ffcf14cf05ap-2 -0x1.f378021d457c8p-3 -0x1.983bef065b845p-3 0x1.886fffba70cd8p-3 0x1.e77ebaeb85cccp-6
    0x1.27ffe0bae6fc9p-2 -0x1.f83795c0ac9ecp-3 -0x1.9217c5e645195p-3 0x1.8990ff4264515p-3 0x1.b551ce6b92e65p-6
    0x1.2c001a297a7dep-2 -0x1.fce4e43572249p-3 -0x1.8bef19f3560f3p-3 0x1.8a92cdf7f0e5bp-3 0x1.83958116f3b19p-6
    0x1.2fffe7267616ap-2 -0x1.00bf9afda1a0fp-2 -0x1.85c34c197ad7dp-3 0x1.8b7591e99f0a7p-3 0x1.524fa6525c365p-6
    0x1.33ffe48153b2p-2 -0x1.03039b45a6918p-2 -0x1.7f93e5dfc3f72p-3 0x1.8c39bc5210022p-3 0x1.2185e168fb62ep-6
    0x1.380038122579ap-2 -0x1.053e81f4c1031p-2 -0x1.79612621ffd79p-3 0x1.8cdf9db9d9dfcp-3 0x1.e27b480c6852fp-7
    0x1.3c0033ef39141p-2 -0x1.076fea3ef256p-2 -0x1.732c93033287ap-3 0x1.8d676ca2e5458p-3 0x1.82f85d80944b1p-7
    0x1.4000163fa0e31p-2 -0x1.0997f493b9d88p-2 -0x1.6cf643da9fe3cp-3 0x1.8dd18c1cd3331p-3 0x1.248d1f70f6e07p-7
    0x1.4400374071092p-2 -0x1.0bb6cd8788947p-2 -0x1.66be2589596a6p-3 0x1.8e1e5c9b3ec1ep-3 0x1.8e868d20fab86p-8
    0x1.48000c880f2p-2 -0x1.0dcc2a1d352c2p-2 -0x1.608583d7d2574p-3 0x1.8e4e303208bcp-3 0x1.ac9096379e732p-9
    0x1.4c0004d97d2cbp-2 -0x1.0fd8437766a49p-2 -0x1.5a4c25aabc13cp-3 0x1.8e616c80dac4bp-3 0x1.038aab04695c2p-11
    0x1.4fffd9397539fp-2 -0x1.11daf4d122984p-2 -0x1.5412eb1024dfp-3 0x1.8e5871b2c560dp-3 -0x1.25da8951c088dp-9
    0x1.53ffff304715fp-2 -0x1.13d478d61f221p-2 -0x1.4dd98d3e9bb99p-3 0x1.8e33a0f181507p-3 -0x1.43c33d08bd25cp-8
    0x1.58002e88ea386p-2 -0x1.15c4ab808071ep-2 -0x1.47a0eb2945fcfp-3 0x1.8df35fc056447p-3 -0x1.f2011b00a45cdp-8
    0x1.5bffd70f4d59p-2 -0x1.17ab4a2b42f42p-2 -0x1.416a51c285a92p-3 0x1.8d982511d6c5ap-3 -0x1.4ecc177008605p-7
    0x1.5fffdb70d6e53p-2 -0x1.1988c35190681p-2 -0x1.3b34cbf748319p-3 0x1.8d22498d3a613p-3 -0x1.a33d4aa295f9fp-7
    0x1.63ffc5c7399e2p-2 -0x1.1b5ce1d701de4p-2 -0x1.35017a7806a5ap-3 0x1.8c92456c01cf9p-3 -0x1.f64d9942059e1p-7
    0x1.67ffd9a1ac7d2p-2 -0x1.1d27c7c8c245bp-2 -0x1.2ed05c6aa933fp-3 0x1.8be87ddc5cf1fp-3 -0x1.23fb6d594386fp-6
    0x1.6bffd6f7b9353p-2 -0x1.1ee95c2d6d0aap-2 -0x1.28a23b11086f7p-3 0x1.8b256dde22d5ap-3 -0x1.4c19a489d85a4p-6
    0x1.6fffbf02a83e4p-2 -0x1.20a1a4b9029cap-2 -0x1.2277789f5fb1cp-3 0x1.8a4989b09e911p-3 -0x1.737ec130d419ap-6
    0x1.73ffe128c213ap-2 -0x1.2250c83787259p-2 -0x1.1c4ffd55be4fcp-3 0x1.8955336b2d603p-3 -0x1.9a2842e43df46p-6
    0x1.77ffbea0cdc7ap-2 -0x1.23f697273497ep-2 -0x1.162cecd39b037p-3 0x1.8848ffa930aafp-3 -0x1.c013da4554412p-6
    0x1.7c003f18edab8p-2 -0x1.259375fee2f42p-2 -0x1.100d4307761e1p-3 0x1.872525dfec556p-3 -0x1.e53f67958f973p-6
    0x1.7fffd41f35c4cp-2 -0x1.2726cbfb4daeap-2 -0x1.09f3be0db1472p-3 0x1.85ea92a95aa1bp-3 -0x1.04d47d872cfa2p-5
    0x1.8400326c7c46bp-2 -0x1.28b14d09404f3p-2 -0x1.03de1e7fb61f2p-3 0x1.84993acb33be9p-3 -0x1.16a769b1de607p-5
    0x1.88003ca90b179p-2 -0x1.2a32919a94ddfp-2 -0x1.fb9ce0856a081p-4 0x1.8331f33f7028p-3 -0x1.2817af01308ccp-5
    0x1.8c003e9692fd5p-2 -0x1.2baabfd6ec2eap-2 -0x1.ef892e08e9c2dp-4 0x1.81b52031873e3p-3 -0x1.39249ac12113dp-5
    0x1.8fffe35be5c5fp-2 -0x1.2d19c2d74f445p-2 -0x1.e382ce63f2cdbp-4 0x1.802360e6fe2aep-3 -0x1.49cd90e66ab41p-5
    0x1.94002aa8974cdp-2 -0x1.2e7ffec84e686p-2 -0x1.d787688c659e8p-4 0x1.7e7ccc2f1546p-3 -0x1.5a120b410d3edp-5
    0x1.98002e08efdeap-2 -0x1.2fdd2bb81edefp-2 -0x1.cb9a531e68398p-4 0x1.7cc23c2dbb11bp-3 -0x1.69f1998467e78p-5
    0x1.9c00275294b6bp-2 -0x1.313168c4d45d2p-2 -0x1.bfbb7edce4dbap-4 0x1.7af418907fec9p-3 -0x1.796be07419f55p-5
    0x1.a0002f3e490ecp-2 -0x1.327cc8eae70cdp-2 -0x1.b3eb3d49e40dap-4 0x1.7912d4d93f7eap-3 -0x1.888099e21606ap-5
    0x1.a3fff458461b6p-2 -0x1.33bf3dc2a9a3fp-2 -0x1.a82b14917d003p-4 0x1.771f17c7566cfp-3 -0x1.972f93d700dd8p-5
    0x1.a800287e12aaep-2 -0x1.34f90a76ad312p-2 -0x1.9c798deec35adp-4 0x1.751908a0ef43ep-3 -0x1.a578b0872efc8p-5
    0x1.ac00149a86c84p-2 -0x1.362a0291c1f82p-2 -0x1.90d9503f6df6p-4 0x1.7301825091e92p-3 -0x1.b35be577a022bp-5
    0x1.affff2f4cc2e1p-2 -0x1.375245153fd01p-2 -0x1.854a3ae3de27ep-4 0x1.70d8e7eb3f331p-3 -0x1.c0d93b6ad570ep-5
    0x1.b4000c2f3711ep-2 -0x1.3871f3665b649p-2 -0x1.79cc03f70fbc6p-4 0x1.6e9f9061dfc2ep-3 -0x1.cdf0cd837f9c3p-5
    0x1.b8000a777e18p-2 -0x1.3989025978cabp-2 -0x1.6e6025c765aabp-4 0x1.6c5629c16d678p-3 -0x1.daa2c92a16ebfp-5
    0x1.bbffd087e14edp-2 -0x1.3a9778b73e3c3p-2 -0x1.6307709efd1ccp-4 0x1.69fd458408d3ap-3 -0x1.e6ef6d2e48013p-5
    0x1.c0000f0086783p-2 -0x1.3b9d927241b86p-2 -0x1.57c06c20e4001p-4 0x1.6794f90e6c8abp-3 -0x1.f2d709a630a27p-5
    0x1.c4001863e58f8p-2 -0x1.3c9b30c075b5p-2 -0x1.4c8d7a429793cp-4 0x1.651e295903c22p-3 -0x1.fe59ff0f8b649p-5
    0x1.c7ffc6c62c3bfp-2 -0x1.3d905acbb06ecp-2 -0x1.416f7421e42dcp-4 0x1.62996e5608efdp-3 -0x1.04bc5f14b649ap-4
    0x1.cc00234b2a209p-2 -0x1.3e7d5e2db674ep-2 -0x1.3663ea4833ffep-4 0x1.60069c4f0392bp-3 -0x1.0a19e38b10201p-4
    0x1.cfffcaac5f9f9p-2 -0x1.3f61f8362b2cbp-2 -0x1.2b6f1c6c746a6p-4 0x1.5d671426d2946p-3 -0x1.0f45d4981ce75p-4
    0x1.d40040d800c64p-2 -0x1.403e8ef8975cp-2 -0x1.208d4bea81e2bp-4 0x1.5aba5283ffa4ep-3 -0x1.144081170513p-4
    0x1.d7ffeb0e645p-2 -0x1.4112da03f042dp-2 -0x1.15c339580389cp-4 0x1.5801e49d9889ep-3 -0x1.190a3ef96554fp-4
    0x1.dbffe2dfcf4ebp-2 -0x1.41df2590a4de1p-2 -0x1.0b0e48bd1efa5p-4 0x1.553d8702506dp-3 -0x1.1da36ada415a6p-4
    0x1.dfffd8a34bbc2p-2 -0x1.42a3716ee647cp-2 -0x1.006fadb6270bbp-4 0x1.526de86f08de6p-3 -0x1.220c67e5061fbp-4
    0x1.e3ffdd26415cp-2 -0x1.435fd18eddf0ap-2 -0x1.ebcf288a589afp-5 0x1.4f9374cf96163p-3 -0x1.26459f6a18481p-4
    0x1.e7fff37f72672p-2 -0x1.4414574037e91p-2 -0x1.d6ec93b2cc445p-5 0x1.4caea0564f101p-3 -0x1.2a4f80c49cd64p-4
    0x1.ebffda11bc00fp-2 -0x1.44c108a64724fp-2 -0x1.c23992f871e82p-5 0x1.49c010afbfb85p-3 -0x1.2e2a80f0ff3fep-4
    0x1.effff3313756dp-2 -0x1.456607e6abaaep-2 -0x1.adb4c3e8aa98dp-5 0x1.46c7f25d8ff7dp-3 -0x1.31d71a71d448dp-4
    0x1.f4001914b856ep-2 -0x1.46036004e7e91p-2 -0x1.995f7fb901f89p-5 0x1.43c6d3f5be04ap-3 -0x1.3555cce8abf92p-4
    0x1.f8003cd144428p-2 -0x1.4699209f7c145p-2 -0x1.853a9ed521174p-5 0x1.40bd32b27751fp-3 -0x1.38a71cfa5c5f2p-4
    0x1.fc00200545bd9p-2 -0x1.4727538dd66f4p-2 -0x1.7147db5484f74p-5 0x1.3dabaf8efc373p-3 -0x1.3bcb93ea6b864p-4
    0x1.ffffbda6f2aa8p-2 -0x1.47ae0bfcc6072p-2 -0x1.5d87c25bf7a4ap-5 0x1.3a92bf5999ee5p-3 -0x1.3ec3bf7f09d08p-4
    0x1.01fffa65118c8p-1 -0x1.482d78f5794c5p-2 -0x1.49f682e4a020bp-5 0x1.3772225a156dap-3 -0x1.4190319f58064p-4
    0x1.040019c0b0556p-1 -0x1.48a59957a7efdp-2 -0x1.369762648f2bbp-5 0x1.344ab592569b1p-3 -0x1.4431803752ddbp-4
    0x1.05fffc24501dbp-1 -0x1.491672163f5b8p-2 -0x1.236d34b79b89fp-5 0x1.311d4b530b7bep-3 -0x1.46a844d931476p-4
    0x1.07ffe865125fcp-1 -0x1.498026f33abcap-2 -0x1.1075ade947c6bp-5 0x1.2de9dd8d5e01bp-3 -0x1.48f51ca17ca6p-4
    0x1.0a002107eac25p-1 -0x1.49e2d7145f475p-2 -0x1.fb5d800571424p-6 0x1.2ab0685d1cf84p-3 -0x1.4b18a7dbbbabep-4
    0x1.0bfff7376e5d4p-1 -0x1.4a3e749498453p-2 -0x1.d63e4be685c6fp-6 0x1.27726c4b1f032p-3 -0x1.4d1389e6ecc3ap-4
    0x1.0dffe1715ee2ep-1 -0x1.4a9329b84e907p-2 -0x1.b185ae07dba5ep-6 0x1.242f8f2d7a804p-3 -0x1.4ee668ddaa34p-4
    0x1.100017f3d776cp-1 -0x1.4ae1116e3467ep-2 -0x1.8d304cf368422p-6 0x1.20e7d736708aep-3 -0x1.5091ed7b3658dp-4
    0x1.11ffefd8c7b65p-1 -0x1.4b2825c0f6783p-2 -0x1.694ac7ffe0364p-6 0x1.1d9cbe529bf4cp-3 -0x1.5216c2c73e5fp-4
    0x1.14000afa3ee71p-1 -0x1.4b68917add34dp-2 -0x1.45ca367276e7p-6 0x1.1a4d9a1fbf3b1p-3 -0x1.537595fba2374p-4
    0x1.15fff73336187p-1 -0x1.4ba259b291bcbp-2 -0x1.22b6f5fb712ccp-6 0x1.16fb855e28b0bp-3 -0x1.54af1633f423cp-4
    0x1.17fff6c447b82p-1 -0x1.4bd59a5808ac3p-2 -0x1.000cd5eef6f2ap-6 0x1.13a66ebe54aa7p-3 -0x1.55c3f45420ce4p-4
    0x1.19fffae932b61p-1 -0x1.4c026579f5abbp-2 -0x1.bb9a68797c32ap-7 0x1.104ec95d4f64ep-3 -0x1.56b4e2bbc325ep-4
    0x1.1bfffba12ae5p-1 -0x1.4c28ce6d463c1p-2 -0x1.77f1cb36211fcp-7 0x1.0cf4fb90b11e7p-3 -0x1.5782952dcbe1ap-4
    0x1.1e0014b459e41p-1 -0x1.4c48eaffdd399p-2 -0x1.351cb603059cap-7 0x1.09992de65d0d9p-3 -0x1.582dc087bb367p-4
    0x1.2000032306f33p-1 -0x1.4c62cb79ec8c6p-2 -0x1.e6488d95de8d1p-8 0x1.063c2661df241p-3 -0x1.58b71aaa63badp-4
    0x1.22000d30a486cp-1 -0x1.4c7687de04deep-2 -0x1.63ff7800f052fp-8 0x1.02ddc28f35eddp-3 -0x1.591f5a351cf91p-4
    0x1.23ffe215e03fcp-1 -0x1.4c8431b793f77p-2 -0x1.c6e63625993b8p-9 0x1.fefdb8c5e4b3bp-4 -0x1.5967366fe9ca7p-4
    0x1.260006833d65dp-1 -0x1.4c8be055b407ap-2 -0x1.920a7ae83f0a4p-10 0x1.f83dc860a6a5ep-4 -0x1.598f670d98ee7p-4
    0x1.28000e82d4d5p-1 -0x1.4c8da573c6f6ap-2 0x1.8b6c7c50f565dp-12 0x1.f17dbc9c4b6cap-4 -0x1.5998a45d6daep-4
    0x1.29fff203b6a0bp-1 -0x1.4c899668c6963p-2 0x1.286ecbeca8abp-9 0x1.eabe49b6ac5bdp-4 -0x1.5983a575a9684p-4
    0x1.2c001e91a9d93p-1 -0x1.4c7fc5f83c46dp-2 0x1.0e1995d9c800ap-8 0x1.e3fe93721a8ep-4 -0x1.59512377da84p-4
    0x1.2dfffc6fb4948p-1 -0x1.4c704b5eae11fp-2 0x1.86398192c622bp-8 0x1.dd412b62ba357p-4 -0x1.5901d5f0e020ep-4
    0x1.2ffff39cb4eedp-1 -0x1.4c5b38925f532p-2 0x1.fcb03785e307p-8 0x1.d68540eedf3b3p-4 -0x1.58967479c252ap-4
    0x1.31ffe002e31cbp-1 -0x1.4c40a3046f4c7p-2 0x1.38bae8f5e6bf1p-7 0x1.cfcbd83775c98p-4 -0x1.580fb62e887abp-4
    0x1.34000edc7bffdp-1 -0x1.4c2099fb764c1p-2 0x1.724e2851b0be5p-7 0x1.c9147507c76ep-4 -0x1.576e519c7f0abp-4
    0x1.36001ce04283p-1 -0x1.4bfb374aac296p-2 0x1.ab07005b229c2p-7 0x1.c260e87dca54bp-4 -0x1.56b2fc90df763p-4
    0x1.37ffe89b8fc54p-1 -0x1.4bd09308bb975p-2 0x1.e2e26fe0a124p-7 0x1.bbb2218790f26p-4 -0x1.55de6c094f3dap-4
    0x1.3a0019b4da842p-1 -0x1.4ba0b2c32c656p-2 0x1.0cf998eca44a2p-6 0x1.b5066c9863443p-4 -0x1.54f15406672b5p-4
    0x1.3c000ce6b63e8p-1 -0x1.4b6bb92422e2ep-2 0x1.28141a0d32146p-6 0x1.ae60637452321p-4 -0x1.53ec677d91f56p-4
    0x1.3dfff114a2607p-1 -0x1.4b31b669bd306p-2 0x1.42c3a04ffd28ap-6 0x1.a7bfde7fc0825p-4 -0x1.52d0582f471bap-4
    0x1.3ffffc1da9b7dp-1 -0x1.4af2b8012fbe4p-2 0x1.5d0b4bfc47f4bp-6 0x1.a1249d80ab6c5p-4 -0x1.519dd69a4108dp-4
    0x1.41ffee11d9c33p-1 -0x1.4aaed96514b12p-2 0x1.76e8307ba2905p-6 0x1.9a8fe261a1221p-4 -0x1.505591d552bap-4
    0x1.43ffffa174676p-1 -0x1.4a6626b927b3bp-2 0x1.905d8f84adbbp-6 0x1.94015dd484db5p-4 -0x1.4ef83783eef44p-4
    0x1.45fff0d457fa4p-1 -0x1.4a18bcbf2bff8p-2 0x1.a968a84bb8c16p-6 0x1.8d7a493fbb975p-4 -0x1.4d8673b37e4fbp-4
    0x1.47ffe8f910e57p-1 -0x1.49c6a974b07ffp-2 0x1.c20be25f20251p-6 0x1.86fa882e9673dp-4 -0x1.4c00f0d12f55p-4
    0x1.4a0017323fc6bp-1 -0x1.496ff7f856abap-2 0x1.da49e9928150cp-6 0x1.8081e3eb66a26p-4 -0x1.4a68578ab06c5p-4
    0x1.4c000b1bf05p-1 -0x1.4914cec74e64ap-2 0x1.f21ded0c3eeecp-6 0x1.7a1225b30aa05p-4 -0x1.48bd4ec53ef43p-4
    0x1.4e0011d07207bp-1 -0x1.48b533fcbb247p-2 0x1.04c60a7354a41p-5 0x1.73aaaeff6f27ap-4 -0x1.47007b81a6bb2p-4
    0x1.4fffe5f36eb46p-1 -0x1.48514828bb6e6p-2 0x1.1048e48993ed9p-5 0x1.6d4cb468d7c59p-4 -0x1.453280d484989p-4
    0x1.520012afdf759p-1 -0x1.47e902c11e3b7p-2 0x1.1b9ae88e1b343p-5 0x1.66f6cff4501bfp-4 -0x1.4353ffcd6b8dep-4
    0x1.54001dfdb2423p-1 -0x1.477c8eee53fa9p-2 0x1.26b9a696cd845p-5 0x1.60aad6a3aa6efp-4 -0x1.416597704e1f4p-4
    0x1.55ffe72d2a74fp-1 -0x1.470c07b764156p-2 0x1.31a4c4d9abee7p-5 0x1.5a697a899a63dp-4 -0x1.3f67e49fa7fb1p-4
    0x1.58000ee716c33p-1 -0x1.46975c383b0c1p-2 0x1.3c5ffc40a1a5ap-5 0x1.543110b7b3b72p-4 -0x1.3d5b821700401p-4
    0x1.59fff9825cd2ap-1 -0x1.461ec227a4cdep-2 0x1.46e856da8d837p-5 0x1.4e03c6162f4c8p-4 -0x1.3b410857f5976p-4
    0x1.5bffdfe2a42cdp-1 -0x1.45a23f68b7dbcp-2 0x1.513f5de40f0e9p-5 0x1.47e12de05901ep-4 -0x1.39190da5cabb5p-4
    0x1.5e00057330799p-1 -0x1.4521d552754cfp-2 0x1.5b66bbbf000bbp-5 0x1.41c8bd2baf7b2p-4 -0x1.36e425f53241ap-4
    0x1.600014d6055dap-1 -0x1.449dab2008754p-2 0x1.655d118f56fbbp-5 0x1.3bbbb89a0c1b2p-4 -0x1.34a2e2e8d60fcp-4
    0x1.620012c3809cbp-1 -0x1.4415d230e6216p-2 0x1.6f22d6b05c7f7p-5 0x1.35ba4cfe6b72bp-4 -0x1.3255d3c3bfa3bp-4
    0x1.6400087b47eccp-1 -0x1.438a5a5bd1f6ep-2 0x1.78b897f9b13cfp-5 0x1.2fc4974f57c8fp-4 -0x1.2ffd8566caacap-4
    0x1.66000a746397fp-1 -0x1.42fb4fe3d0083p-2 0x1.821f14b9e1eebp-5 0x1.29da91952ee82p-4 -0x1.2d9a8245866a8p-4
    0x1.68000e4e3094bp-1 -0x1.4268c74778fep-2 0x1.8b5679ab0310fp-5 0x1.23fc8f2e43205p-4 -0x1.2b2d526483573p-4
    0x1.6a001e2e37787p-1 -0x1.41d2cf1600cd3p-2 0x1.945f54b79e859p-5 0x1.1e2aa46a0b02dp-4 -0x1.28b67b508a35bp-4
    0x1.6bffe0df4bbfbp-1 -0x1.41399388da137p-2 0x1.9d387e5b3c2bap-5 0x1.18660173397f9p-4 -0x1.2636801db4945p-4
    0x1.6dfffea406ceap-1 -0x1.409cf36bcffe9p-2 0x1.a5e54174405afp-5 0x1.12acedc041806p-4 -0x1.23ade160d6557p-4
    0x1.70000ed01ea65p-1 -0x1.3ffd1f2ea4ff7p-2 0x1.ae643308c81cdp-5 0x1.0d00c1960aaf7p-4 -0x1.211d1d2f50d25p-4
    0x1.7200200d515ebp-1 -0x1.3f5a2361bb15cp-2 0x1.b6b5f9b536afcp-5 0x1.07617a731624dp-4 -0x1.1e84af1a8c054p-4
    0x1.740011323de6dp-1 -0x1.3eb41bb978c8fp-2 0x1.beda77765626ap-5 0x1.01cf997f58c8ap-4 -0x1.1be5103074348p-4
    0x1.75fff25cab4cap-1 -0x1.3e0b141f21d2ap-2 0x1.c6d25d1bda00fp-5 0x1.f89625935ee68p-5 -0x1.193eb6f8e0689p-4
    0x1.77ffe90921f76p-1 -0x1.3d5f10b247ec4p-2 0x1.ce9ea943f4516p-5 0x1.eda73f24a8af1p-5 -0x1.16921776aac42p-4
    0x1.79ffe47b2f83bp-1 -0x1.3cb0273df2a0dp-2 0x1.d63f823c5d6dep-5 0x1.e2d319c5116abp-5 -0x1.13dfa326e2972p-4
    0x1.7bfff2f1e79a9p-1 -0x1.3bfe62ef81e5bp-2 0x1.ddb58738896fp-5 0x1.d819a2515de78p-5 -0x1.1127c9026fddp-4
    0x1.7e001973c8d05p-1 -0x1.3b49d1c53a01ap-2 0x1.e501325103eedp-5 0x1.cd7af5290f4afp-5 -0x1.0e6af57ef003bp-4
    0x1.7ffff69efc092p-1 -0x1.3a92a666c50c4p-2 0x1.ec2194098a4bep-5 0x1.c2f942eee57ep-5 -0x1.0ba99290d573p-4
    0x1.82001c52b5232p-1 -0x1.39d8bc67d05fp-2 0x1.f31922a81b5d5p-5 0x1.b891b8aa20e9p-5 -0x1.08e407adcefd6p-4
    0x1.84000bd4d4e3fp-1 -0x1.391c513e9ef47p-2 0x1.f9e6917383d6bp-5 0x1.ae471278e21b9p-5 -0x1.061ab9cf54d1p-4
    0x1.860018c869cbdp-1 -0x1.385d55c3e2929p-2 0x1.0045b7b2c8ff2p-4 0x1.a417c39d7ca4fp-5 -0x1.034e0b767b7d4p-4
    0x1.87ffeb5db371p-1 -0x1.379bfa32ee2a1p-2 0x1.038386187fe0fp-4 0x1.9a05a8b3a0b33p-5 -0x1.007e5caee03a9p-4
    0x1.8a000863c77e3p-1 -0x1.36d81b5ee344dp-2 0x1.06adc2841f292p-4 0x1.900e42484560bp-5 -0x1.fb58162792f0ap-5
    0x1.8bfff0ed982afp-1 -0x1.3611f89d38dc7p-2 0x1.09c3db450b9f7p-4 0x1.86342312d0c4ap-5 -0x1.f5aee3a6ca012p-5
    0x1.8e00002c3aeaep-1 -0x1.35497d82be9p-2 0x1.0cc6968546d39p-4 0x1.7c759db8499fdp-5 -0x1.f001d36a32337p-5
    0x1.90000ecbfa97bp-1 -0x1.347ec7d2149f4p-2 0x1.0fb5efa921d3cp-4 0x1.72d3869693e89p-5 -0x1.ea51923a0f5f3p-5
    0x1.91fffd251c01cp-1 -0x1.33b1f2bc94245p-2 0x1.1291f2fc4c3f6p-4 0x1.694e81b7a765cp-5 -0x1.e49ec826e86f6p-5
    0x1.94001d90af4e6p-1 -0x1.32e2eb7bbd79ap-2 0x1.155b4e401d071p-4 0x1.5fe513a256f1cp-5 -0x1.deea1890ff662p-5
    0x1.9600104fd6c17p-1 -0x1.3211e6da5039cp-2 0x1.1811b4e62286bp-4 0x1.5699071bece9dp-5 -0x1.d934223911641p-5
    0x1.980002d214b82p-1 -0x1.313ee08425504p-2 0x1.1ab5a02bdb571p-4 0x1.4d6989ebd70b8p-5 -0x1.d37d7f482965ap-5
    0x1.99ffdeb980651p-1 -0x1.3069ef993d676p-2 0x1.1d472cded25a8p-4 0x1.445702d0abd9ap-5 -0x1.cdc6c56221aa1p-5
    0x1.9bfffe5504053p-1 -0x1.2f92fbe311e56p-2 0x1.1fc705be3af05p-4 0x1.3b5fdacd5cdc7p-5 -0x1.c81085adbb9b8p-5
    0x1.9e0016e60a234p-1 -0x1.2eba31ddeceeap-2 0x1.2235035736518p-4 0x1.3285622f9fd28p-5 -0x1.c25b4ce8b2259p-5
    0x1.9ffffb685741bp-1 -0x1.2ddfb230eda41p-2 0x1.24912b23c0ba2p-4 0x1.29c854c4e86dap-5 -0x1.bca7a37002a55p-5
    0x1.a20019d59b943p-1 -0x1.2d035b0043779p-2 0x1.26dc37ab9110cp-4 0x1.2126c959cfc0ep-5 -0x1.b6f60d556233ep-5
    0x1.a3fffbe9e153fp-1 -0x1.2c256c2200f18p-2 0x1.2915da6795293p-4 0x1.18a2b256a8fdep-5 -0x1.b1470a67a4e89p-5
    0x1.a5ffe7a23a1cep-1 -0x1.2b45d44403932p-2 0x1.2b3e9c967f013p-4 0x1.103ad35d002b8p-5 -0x1.ab9b16496a8f1p-5
    0x1.a800157f250b8p-1 -0x1.2a6486f8d8291p-2 0x1.2d56f03654cc3p-4 0x1.07ee34bb6e7a6p-5 -0x1.a5f2a87992f03p-5
    0x1.aa000dd839d49p-1 -0x1.2981c5467cfddp-2 0x1.2f5e8ff1fadb5p-4 0x1.ff7d6a3ba803cp-6 -0x1.a04e346af8db7p-5
    0x1.ac000770df22p-1 -0x1.289d836f9e74fp-2 0x1.3155ee509140ap-4 0x1.ef56b61ab0b7fp-6 -0x1.9aae298ce391fp-5
    0x1.ae001125bbe48p-1 -0x1.27b7c6dde55ddp-2 0x1.333d515c4c27p-4 0x1.df67a9bac4ecfp-6 -0x1.9512f363a972bp-5
    0x1.afffe7c321839p-1 -0x1.26d0b9cfa03cep-2 0x1.3514b2caa2e0cp-4 0x1.cfb224597be9ap-6 -0x1.8f7cf99110022p-5
    0x1.b1ffe75486924p-1 -0x1.25e83e8afa7ebp-2 0x1.36dc9fb0e8ac8p-4 0x1.c0331ad5d66cap-6 -0x1.89ec9fedb1e8bp-5
    0x1.b40015fb8deb8p-1 -0x1.24fe5d8e71e0ap-2 0x1.389551297317ap-4 0x1.b0ea31d844655p-6 -0x1.846246914067dp-5
    0x1.b6000386c27b9p-1 -0x1.2413559cadcep-2 0x1.3a3e9ee34ae91p-4 0x1.a1da81c5fff05p-6 -0x1.7ede49ec8aac6p-5
    0x1.b8000d1efddb3p-1 -0x1.2327076047e08p-2 0x1.3bd90f132139bp-4 0x1.9301058deb3e1p-6 -0x1.796102d194ce9p-5
    0x1.b9ffe42cc4047p-1 -0x1.2239a25461639p-2 0x1.3d649a926c127p-4 0x1.845fbc5a21f7p-6 -0x1.73eac68e20be6p-5
    0x1.bc001951aeaadp-1 -0x1.214aee38fa7e7p-2 0x1.3ee1e5ea1330fp-4 0x1.75f242bcce6dfp-6 -0x1.6e7be6f3902c5p-5
    0x1.bdffe6616fe11p-1 -0x1.205b5240fef32p-2 0x1.4050944eb818cp-4 0x1.67bde108160f9p-6 -0x1.6914b271d18adp-5
    0x1.bffff54511c72p-1 -0x1.1f6a89a854f7ap-2 0x1.41b1571f04837p-4 0x1.59bd8bbd10f7cp-6 -0x1.63b5741f03711p-5
    0x1.c2000c537593ep-1 -0x1.1e78b9d24dbedp-2 0x1.4304394f485ep-4 0x1.4bf29122a6884p-6 -0x1.5e5e73d2aa4e9p-5
    0x1.c4000ddd35719p-1 -0x1.1d85fb25dddf6p-2 0x1.44495d2e3b20fp-4 0x1.3e5d67fcc1b3p-6 -0x1.590ff62d0d00fp-5
    0x1.c6000402375b6p-1 -0x1.1c92531ddfc58p-2 0x1.4580ff8b6cbc2p-4 0x1.30fd700ce998ep-6 -0x1.53ca3cb299e5fp-5
    0x1.c7fff19904fe4p-1 -0x1.1b9dca75e0fc5p-2 0x1.46ab579f8fd7dp-4 0x1.23d23a5a90afep-6 -0x1.4e8d85d2f574bp-5
    0x1.c9ffef9e2409dp-1 -0x1.1aa85f198392cp-2 0x1.47c8a808c583ap-4 0x1.16dac857f2526p-6 -0x1.495a0d0477576p-5
    0x1.cc001e038ef72p-1 -0x1.19b20b4a469aep-2 0x1.48d9342387ea2p-4 0x1.0a15f7305baf5p-6 -0x1.44300acae4e17p-5
    0x1.cdffeeb72037fp-1 -0x1.18bb1d0992cf8p-2 0x1.49dce5aa4990dp-4 0x1.fb0dd63759665p-7 -0x1.3f0fb4d2f0c0fp-5
    0x1.cffffea4839edp-1 -0x1.17c35220400acp-2 0x1.4ad440a159641p-4 0x1.e252c80894ca9p-7 -0x1.39f93df89c265p-5
    0x1.d1ffdec3ec8b2p-1 -0x1.16cae9851554p-2 0x1.4bbf41b0933ffp-4 0x1.c9ff5e09a60cdp-7 -0x1.34ecd662a5704p-5
    0x1.d3fff7084edd4p-1 -0x1.15d1b9e1e0a54p-2 0x1.4c9e4ac2c9a3p-4 0x1.b20ddefce76ccp-7 -0x1.2feaab888bc37p-5
    0x1.d5ffe8d728e7cp-1 -0x1.14d7fa305ceb2p-2 0x1.4d716417bf1c7p-4 0x1.9a81ee19fe239p-7 -0x1.2af2e84ddad07p-5
    0x1.d7fff70aa3b03p-1 -0x1.13dd92ad706aap-2 0x1.4e38db49d32aap-4 0x1.8357a37df2b6dp-7 -0x1.2605b507cd77bp-5
    0x1.d9fff1434fba3p-1 -0x1.12e2a3ac9d646p-2 0x1.4ef4ce7b01cf5p-4 0x1.6c905d25fd52dp-7 -0x1.21233798666efp-5
    0x1.dbffea8c8de8cp-1 -0x1.11e72c6be19dfp-2 0x1.4fa57634e1b91p-4 0x1.562a647f96df5p-7 -0x1.1c4b9373af599p-5
    0x1.de00026573df5p-1 -0x1.10eb25cdfed06p-2 0x1.504b0cca681fap-4 0x1.402386f3cde09p-7 -0x1.177ee9ba8fa6ap-5
    0x1.dfffe35009b66p-1 -0x1.0feec230d7d92p-2 0x1.50e5a75c5b4f1p-4 0x1.2a7e8e3c139d8p-7 -0x1.12bd593fa642bp-5
    0x1.e2000492d4c68p-1 -0x1.0ef1cee0b0721p-2 0x1.51759937bfb74p-4 0x1.153592bc9fddbp-7 -0x1.0e06fea1d1824p-5
    0x1.e40009412bb65p-1 -0x1.0df481b2bd37dp-2 0x1.51faf64024d14p-4 0x1.004b99b849698p-7 -0x1.095bf450a2434p-5
    0x1.e5fff4758ef2fp-1 -0x1.0cf6e105bfe1ep-2 0x1.5275ef9c5e03ap-4 0x1.d77f217aa1137p-8 -0x1.04bc52a6891e1p-5
    0x1.e8000380f819fp-1 -0x1.0bf8d62ad700fp-2 0x1.52e6c1f3fbc2bp-4 0x1.af1c3ee24ad7dp-8 -0x1.00282fece26c9p-5
    0x1.ea000a6d8cb7bp-1 -0x1.0afa7e7cb2d84p-2 0x1.534d908e9071fp-4 0x1.877044ce5e5c9p-8 -0x1.f73f40eb7c9d5p-6
    0x1.ec0005a13ba6p-1 -0x1.09fbe33a3fce1p-2 0x1.53aa889d9af5dp-4 0x1.60799f7f7040bp-8 -0x1.ee456d3f0b3fbp-6
    0x1.edfff58f8dd18p-1 -0x1.08fd0b7ce07e5p-2 0x1.53fdd7bdedd3fp-4 0x1.3a36670c52e66p-8 -0x1.e56305dca7315p-6
    0x1.effffbe0334p-1 -0x1.07fdedae56c0fp-2 0x1.5447af84d6f5dp-4 0x1.14a247982941ep-8 -0x1.dc98281e68835p-6
    0x1.f2001e6b5125dp-1 -0x1.06fe8de905325p-2 0x1.54883b5deec7ap-4 0x1.df762b4a186d5p-9 -0x1.d3e4ede20f495p-6
    0x1.f3ffdf770e0dbp-1 -0x1.05ff31d2912ffp-2 0x1.54bf98cd1001fp-4 0x1.970fc6e90dc16p-9 -0x1.cb496d8eb587ep-6
    0x1.f5ffe4e16da33p-1 -0x1.04ff8d74c83d2p-2 0x1.54ee0592bb252p-4 0x1.4ff617193eeb5p-9 -0x1.c2c5ba459ac86p-6
    0x1.f80004576ff2ep-1 -0x1.03ffbc91b3e55p-2 0x1.5513a5f3357f7p-4 0x1.0a2ba14c92b53p-9 -0x1.ba59e3e70df71p-6
    0x1.f9fff39b6a33p-1 -0x1.02ffeacbaada8p-2 0x1.55309f27448cp-4 0x1.8b6d64850006bp-10 -0x1.b205f742323dfp-6
    0x1.fc001aa76c0b9p-1 -0x1.01ffea98d4c38p-2 0x1.55452089780f8p-4 0x1.050b57f35c5bbp-10 -0x1.a9c9fe19247afp-6
    0x1.fdffe39a592cap-1 -0x1.01000d31688dep-2 0x1.55514e32f1816p-4 0x1.02a154e1628d2p-11 -0x1.a1a5ff4faf5ap-6
    0x1.ff8018e92d1bp-1 -0x1.003ff3876a954p-2 0x1.555515539ddfbp-4 0x1.007e77b95e6c2p-13 -0x1.9b9a718a3ba58p-6
"""

ATAN_BITS = 61  # how near a polynomial comes, in the middle of its interval and at its ends

HEADER = """\
// SPDX-License-Identifier: BSD-2-Clause-Patent
// Generated by tools/gen_libm_tables.py, do not edit. Tables of the elementary
// functions in libm.cpp, which says what they are for. Every entry is a
// correctly rounded value of the formula above it.
// clang-format off
#pragma once

#include <cstdint>

namespace vmafgpu::libm {

/// Of 2^(k/128): the relative error of its nearest double, and that double's bits
/// less k * 2^45, so that any multiple of 2^45 may be added as an exponent.
struct ExpEntry {
    double tail;
    uint64_t bits;
};
constexpr ExpEntry kExpTable[128] = {
%s
};

/// 2^(k/32) as bits, less k * 2^47.
constexpr uint64_t kExp2FloatTable[32] = {
%s
};

/// Of a point c in each interval: 1 / c and its logarithm, c taken as the exact inverse of 1 / c.
struct LogEntry {
    double inverse, log;
};
constexpr LogEntry kLogTable[128] = { // natural
%s
};
constexpr LogEntry kLog2Table[64] = { // base 2
%s
};
constexpr LogEntry kLog2FloatTable[16] = { // base 2
%s
};

/// As LogEntry, natural; log is a multiple of 2^-43 and log_tail is what it lacks.
struct PowLogEntry {
    double inverse, log, log_tail;
};
constexpr PowLogEntry kPowLogTable[128] = {
%s
};

/// Sine and cosine of k / 128, each as a double and what that lacks.
struct SinCosEntry {
    double sin, sin_tail, cos, cos_tail;
};
constexpr SinCosEntry kSinCosTable[110] = {
%s
};

/// A point near each of (16 + i) / 256, and the polynomial of its neighbours' arctangent: the sum
/// of c[n] * (x - point)^n. c[0] is the point's arctangent, c[1] its derivative.
struct AtanEntry {
    double point, c[6];
};
constexpr AtanEntry kAtanTable[241] = {
%s
};

} // namespace vmafgpu::libm
"""


def rounded(value):
    """The nearest double, ties to even."""
    return float(Fraction(value))


def bits_of(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def double_of(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def text(value):
    """As short as C++ reads it back."""
    mantissa, exponent = value.hex().split("p")
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").rstrip(".")
    return f"{mantissa}p{int(exponent)}"


def exact_log(value):
    fraction = Fraction(value)
    return (Decimal(fraction.numerator) / Decimal(fraction.denominator)).ln()


def power_of_two(k, n):
    return (LN2 * k / n).exp() if k else Decimal(1)


def exp_table():
    for k in range(128):
        exact = power_of_two(k, 128)
        nearest = rounded(exact)
        yield rounded(exact / Decimal(nearest) - 1), bits_of(nearest) - (k << 45)


def exp2_float_table():
    return [bits_of(rounded(power_of_two(k, 32))) - (k << 47) for k in range(32)]


def inverses(digits):
    values = []
    for word in digits.split():
        mantissa, exponent = word.split("p")
        values.append(float.fromhex(f"0x1.{mantissa}p{exponent}"))
    return values


def log_table(digits, first, last_bits, base, error_bits):
    """`first`: bits of the first interval's left end; `last_bits`: its width, as a power of two."""
    for i, inverse in enumerate(inverses(digits)):
        left = Fraction(double_of(first + (i << last_bits)))
        right = Fraction(double_of(first + ((i + 1) << last_bits)))
        point = 1 / Fraction(inverse)
        if not left <= point <= right:
            sys.exit(f"1 / {inverse.hex()} is outside interval {i}")
        exact = -exact_log(inverse) / base
        nearest = rounded(exact)
        if abs(exact - Decimal(nearest)) > Decimal(2) ** error_bits:
            sys.exit(f"the logarithm of 1 / {inverse.hex()} is not near enough to a double")
        yield inverse, nearest


def nearest_integer(fraction):
    return (2 * fraction.numerator + fraction.denominator) // (2 * fraction.denominator)


def pow_log_table():
    first = 0x3FE6955500000000
    for i in range(128):
        left = Fraction(double_of(first + (i << 45)))
        right = Fraction(double_of(first + ((i + 1) << 45)))
        middle = (left + right) / 2
        steps = 128 if middle < 1 else 256
        inverse = Fraction(nearest_integer(steps / middle), steps)
        exact = Fraction(-exact_log(inverse))
        log = Fraction(nearest_integer(exact * 2 ** 43), 2 ** 43)
        yield float(inverse), float(log), float(exact - log)


def sin_cos(x):
    sums = [Decimal(0), Decimal(0)]
    term, n = Decimal(1), 0
    while abs(term) > Decimal(10) ** -78:
        sums[n % 2] += term if n % 4 < 2 else -term
        n += 1
        term = term * x / n
    return sums[1], sums[0]


def sin_cos_table():
    for k in range(110):
        row = []
        for exact in sin_cos(Decimal(k) / 128):
            row += [rounded(exact), rounded(exact - Decimal(rounded(exact)))]
        yield row


def arctan(x):
    """Of a Decimal from 0 to 1."""
    halvings = 0
    while x > Decimal("0.01"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, power, n = Decimal(0), x, 1
    while abs(power) > Decimal(10) ** -78:
        total += power / n if n % 4 == 1 else -power / n
        power *= x * x
        n += 2
    return total * 2 ** halvings


def atan_table():
    words = ATAN_POINTS.split()
    for i in range(241):
        point, *rest = [float.fromhex(word) for word in words[5 * i:5 * i + 5]]
        if abs(Fraction(point) - Fraction(16 + i, 256)) > Fraction(1, 768):
            sys.exit(f"{point.hex()} is not near {16 + i} / 256")
        exact = arctan(Decimal(point))
        value = rounded(exact)
        if abs(exact - Decimal(value)) > Decimal(2) ** -61:
            sys.exit(f"the arctangent of {point.hex()} is not near enough to a double")
        coefficients = [value, float(1 / (1 + Fraction(point) ** 2)), *rest]
        for step in range(-2, 3):
            x = min(max(Fraction(16 + i, 256) + Fraction(step, 1024), Fraction(1, 16)), Fraction(1))
            polynomial = sum(Fraction(c) * (x - Fraction(point)) ** n
                             for n, c in enumerate(coefficients))
            wanted = arctan(Decimal(x.numerator) / Decimal(x.denominator))
            if abs(polynomial - Fraction(wanted)) > Fraction(1, 2 ** ATAN_BITS):
                sys.exit(f"the polynomial at {point.hex()} is not the arctangent")
        yield point, coefficients


def atan_rows():
    return "\n".join("    {" + text(point) + ", {" + ", ".join(text(c) for c in row) + "}},"
                     for point, row in atan_table())


def rows(table):
    return "\n".join("    {" + ", ".join(text(v) for v in row) + "}," for row in table)


def header():
    exp = "\n".join(f"    {{{text(tail)}, 0x{bits:016x}}}," for tail, bits in exp_table())
    exp2 = [f"0x{bits:016x}," for bits in exp2_float_table()]
    exp2 = "\n".join("    " + " ".join(exp2[i:i + 4]) for i in range(0, 32, 4))
    one = Decimal(1)
    return HEADER % (
        exp, exp2,
        rows(log_table(LOG_INVERSES, 0x3FE6000000000000, 45, one, -66)),
        rows(log_table(LOG2_INVERSES, 0x3FE6000000000000, 46, LN2, -68)),
        rows(log_table(POWF_INVERSES, 0x3FE6600000000000, 48, LN2, -52)),
        rows(pow_log_table()), rows(sin_cos_table()), atan_rows())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("header")
    args = parser.parse_args()
    wanted = header()
    if not args.check:
        with open(args.header, "w", encoding="utf-8") as file:
            file.write(wanted)
        return 0
    with open(args.header, encoding="utf-8") as file:
        if file.read() != wanted:
            print(f"{args.header} is not what tools/gen_libm_tables.py writes")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
