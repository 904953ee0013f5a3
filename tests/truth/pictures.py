#!/usr/bin/env python3
"""Small pictures of every kind, and what PIL makes of them.

The PNG files are written here, so that all colour types, depths, filters and both orders of rows
occur; PIL reads them, and its samples must be the ones that were written (of 16 bits it keeps the
upper 8).  JPEG files are PIL's own, and some that cjpeg of libjpeg-turbo 2.1.5 wrote (CJPEG).

    tests/truth/pictures.py --files FOLDER      writes the files themselves
"""
import base64
import io
import os
import struct
import sys
import zlib

import numpy as np
import PIL
import sklearn
from PIL import Image
from sklearn.cluster import KMeans

from truth import Header

# cjpeg -quality 60 of shade(19, 21), with -restart 2B; -sample 1x2; -sample 4x1; -rgb; -progressive
# -restart 1B -sample 2x2; -sample 2x2,1x2,2x1; -arithmetic; and -quality 3.
CJPEG = {
    "restart":
        '|JeWF01!$>Nk#wx0RR9200961|JwjV01XKW3knDg3knMk4h;_zAQcl55)&sJ9v2`kDKRiEDJ?8BI!Zn>HbyrrE'
        'kIX6ModmpQ&KWMT47pHU`kO^PygEhLjevB4iga*CKVMXPc<zyPft%zPft%zPft%zPft%zPft%zPft%zPft%zPf'
        't%zPft%zPft%zPft%zPft%zPf!2A01*fP6#x?h0U`hb5di}c0sq7R9{>OW1pxs80RaI300000000010s{mE1_u'
        'ZU3Jd?l0JRVR0s#X90t5pE1q1{D00Dgg0s{a95d{(<F+m0sQDFxnaTGFvk)a49Lb1UWQqk}vGh%Xr2?`b$7#SK'
        'RCMPH<Dl|1VH#j*uLqtVJM@UIZQ&d$}S6EqEV`OD!XJ~0^b98lfcX)YvgM@{Khlq)al9QB`mY0~BnxdnmrKYE-'
        'sj9NGw6(UkxVgH*!^FkL$H>Xb($mz{*4NnC+Tr5k<mKk)=;`Y5^7Hid_V@Vt`v1fL9{~UZ0RaI40RaI40RR910'
        '00010s{mE1_uZU3Jd?l0JRYS0s#U91Oo&I1q1{D0Rndb0RjUN1O*{61`<J02Vrp&A~Jyp6he`qvB3!=Gg9ysVs'
        'g<679=#`CGi&+85$-hC@Cs6Ha9pqIzvQ7Mn_0VN>fx-'
        'R##YAT4Q8oW@l(=YIAgTc6WGrdV+(5g@%WSiHeewl$Dm3n3<ZQqok##r>Lo_va__cwzs&sy28W6#m2|T$;#5x)'
        'YaD4*xB0R<K*S$=jiF`^7Hid_V@Vt`v2Vk1ONj6+5ij#0RRFK0}%i}04<@8IIS(tRyd<+rf%QlVE%OY!If=`g<'
        '|c$ZaL3mj@illsUQ7R$gIjvA|=LpV<X$68hpeNaW=(h;E7<2DeJi7^UEK~ly2hvKTr4}{eNDU`~3>*WgPpae=S'
        ';8XDUeJB$_JMn*;zyJX17)azGgM^`g0)=Y0y~#64qAPKW={b-Iyfr=fOlJiEwGC5Qv5>-'
        '<KBWn&PL0r`x)af8&4{Co7GiXp6Dr|8OSe<%7${$*>6RGR8}C1T8Feovrc0Qv#N6j4y5?YU5jaZR89*#',
    "tall":
        '|JeWF01!$>Nk#wx0RR9200961|JwjV01XKW3knDg3knMk4h;_zAQcl55)&sJ9v2`kDKRiEDJ?8BI!Zn>HbyrrE'
        'kIX6ModmpQ&KWMT47pHU`kO^PygEhLjevB4iga*CKVMXPc<zyPft%zPft%zPft%zPft%zPft%zPft%zPft%zPf'
        't%zPft%zPft%zPft%zPft%zPf!2A01*fP6#x?h0TKWL5di}c0sq7R7ytnP0|5X40000000000000010t5s9!~i'
        'J}00IF60|NmG00000000000RjU61Q8M;F%v<NQ3WD1LSb>CqVWI302cuO0|5X40000000000000020|Wv8!~iD'
        '|009C71O@{D00000000000RRF65g{=WK~Z5MBXN<j@Is=&|Jncy0|5X65d#qbKLA@p9C2D(oUCz1(@fpJh7X#v'
        '{3(%Hl$=CMjPZ<*rwnKtH$ewb?$QfL#Bh;%%R#C4PO4)DRkkh_i?+Qu-'
        '#v~yXD7v4VhFgKLbPy1utpT~sN>F9_@=(BreJoOz;RR?(s==}_RBiiM?R^armZV8l_YJFO={}F01?j=%^(|)20'
        'eXhM?Kh%8%+5`8yVGy4sG3Xw^A(qo`u=E<=#SfEI=Hdeq%~(`A#|m;RJ3P4AGfb#3Vp{<1X7^@<;9XrBM)Y9*r'
        'Ml*x)iGQa&P^Qh$pz#i~tpJd&|yGQQ`~F#vsl+LbtQ7DEN0(ArJpJTL#*',
    "wide4":
        '|JeWF01!$>Nk#wx0RR9200961|JwjV01XKW3knDg3knMk4h;_zAQcl55)&sJ9v2`kDKRiEDJ?8BI!Zn>HbyrrE'
        'kIX6ModmpQ&KWMT47pHU`kO^PygEhLjevB4iga*CKVMXPc<zyPft%zPft%zPft%zPft%zPft%zPft%zPft%zPf'
        't%zPft%zPft%zPft%zPft%zPf!2A01*fP6#x?h0YLx)5di}c0sq7R7XSeP0RaF20000000000000020|fuX04W'
        'dv0s#X90|5yD00000000010s{a95fULW6G4$t1tK#-'
        'VR50N@c+aB76AYQ000000000000000000331OLPT9T5Ql0s;a90000000000000310s|5RAu>U6|Jncy0|5X65'
        'd#qbKLA@p9C2D(oUCz1(@fpJh7X#!!If=`g<|cmPB+hEj@ilaSgn+E>Y4g#(z7{IM%g6Nr;_bKjA(fw_G<qC3S'
        '?GgClM0kJYys2!y37WBI0cd(ZLeI7*o!pk2z!FtE&V6M?6zBfNnq-'
        '_4TDLTG;}u2M*kqTKbt=sTO|ELhRjg?;$&uAP!GIF{3iEh)96@#$C3-<d56&T-O$<HPrG-'
        '#hA+bpFqR`_5*5Fc4`R;LfudQ*#',
    "rgb":
        '|JeWT01iQ9Z(?NtWB>pF0095n07C!}3k(hn3J?wr4iXU%6BsBO7#0>7F(V}%C^|DeJUKHsH$X^SPC!IgMK?H5Z'
        'BbWWVrOV)K233XaAbH~WoKjmzyJ{l02Kfe15yzHM-'
        'c!*5di<h02u%P0s{d60000000000000031ONd71^>hVHV^;;0RsX81_ccP00000000330|XHv05K9l1rroPVUZ'
        '#<QE`D4BP1m=LsDXNf}ygrlmFTP3<FXCM*u<q06zec)5bzkMpvqj)1CON0UguI!*k>8wxu#h2&0Yol_HGICNXY'
        'C-p~Vi=yd7_L(|+3SDX5-v?L6swUL4^p-'
        'mAN$r!)B*FIM`)}W21>~TrJ&n%5Jn6qDzw;*_%%S}!PWm^D#j}`v_>!>KHcdDtSS=jM7cU3nz+m`wqbbY8Aj<1'
        'KUW_}&*a!t0^E<if@us+rKeq*R&z@p;zJyec8%rbn*_h)?)SGv_Qvms)%$;F+pz;9uOKOb(Ifqtf^#`N=N_Kja'
        'yjK;B&@Imu%AU5N<-'
        '#pIe8xD5W&z{yot1K|A1BCu88}E=@`CCm?`l|k(FZI^bp=GN<JmASA<(Qot<w`D(3rjRL1>;e2iY<|U#pAAQhV'
        '#sC_pjc!c<3y>MIAIs&Batnk?)cPu0ACH03JFGBC|!&>dsh5%_H9>m|DjB_m7^KgB=Y|`g#8VsL`rI#aSqI4;>'
        'UmkpQ*sp^eXu-wg^k6D2To98=EI5-<T5z#qT((^Xle&nkGo*GhIYti43cOp+cWZHIurA-'
        '0ECPOVu`T$UnN7dgOU0P@lfx0-DI>+<}^U;o(',
    "progressive restart":
        '|JeWF01!$>Nk#wx0RR9200961|JwjV01XKW3knDg3knMk4h;_zAQcl55)&sJ9v2`kDKRiEDJ?8BI!Zn>HbyrrE'
        'kIX6ModmpQ&KWMT47pHU`kO^PygEhLjevB4iga*CKVMXPc<zyPft%zPft%zPft%zPft%zPft%zPft%zPft%zPf'
        't%zPft%zPft%zPft%zPft%zPf!2C01*fP6#x?h0U`hb5di}c0sq7R7XSeP0RaF20000000000000010|NiV02c'
        'uO0|5X40000000000000000RjX6-'
        '2emt0sq<n3<CiG0uTcb00041NB_{}t0(`_pnw0;%uRp)!~h!*0RRF50{{R300000000000RRFK5+O1{|Jncu0R'
        'aF31p=rC|Ij&~|IyHA|I+jS(`WzG$WQ;(uTTHhpa0jjb8r8|02~nj0ssd90000000000000000RjUNAwjY5|Jn'
        'cu0RsU6KLJ1g(4@>lfB(_#pa0TI$N$6t7ZCsh0RR910000000000000015i$ST00;pB0RcY&SbzV}tpCwifB({'
        '_|HJ?v5C8%K0s#d80000000000000335g|bXF;QW0k^kBN2mt{A20sFfbd|IJ(24)iyk!5<e-'
        'HoDlhRa=|J0_Ppa0e4^VI*=SM2}SZTCO_!~h@=0RRF40|fy900000000000RRypF=6mQQE{QM@&DQY2mt{A0Y4'
        '$p5*~m5(7|eLx}X2iEV?ObfB({SMK^QI|I_V6Rd4%0|J2p2fB)4OEpvBr=l|AG!Pk#-'
        '|JN6m+wA|^01N{G00IC50000GTmR7W|Iq{g()<6!03Q(m0ssXC0000000000000000TCfFaqvN5k+H%5+5iXv0'
        '|5a)5X`iBvH#GGIT|1T(Q3Ot8?*n?Q%2AK!~h!+00II70RR910000000000009vpF>%4+|Jncu0RjO5KM<2`bJ'
        'PFObJ73NyK9X9(oGpZ|HJ?u5CH%J0s{d70RR9100000009vp05L&Pk?>)0|Jncu0RaF3KM-'
        'S21RoIlpa0McN@}inV~Ll{|IxJ~QdFy-|I*%r4Kt{d^GiSf(?UTSTa<e%%>UGm3>JYM_n-'
        'gOK{GCGKyBYF|JFc@YScSVoM->nNlAOqfc^z%|Je',
    "mixed":
        '|JeWF01!$>Nk#wx0RR9200961|JwjV01XKW3knDg3knMk4h;_zAQcl55)&sJ9v2`kDKRiEDJ?8BI!Zn>HbyrrE'
        'kIX6ModmpQ&KWMT47pHU`kO^PygEhLjevB4iga*CKVMXPc<zyPft%zPft%zPft%zPft%zPft%zPft%zPft%zPf'
        't%zPft%zPft%zPft%zPft%zPf!2A01*fP6#x?h0U`hb5&;7t0sq7R7ytnP0|5X40000000000000010t5s9!~i'
        'J}00IF60|NmG00000000000RjU61Q8M;F%v<NQ3WD1LSb>CqVWI302l!P0|5a50000000000000000RjUA|HJ?'
        '#5dZ-L0t5#E0000000000009630}&w-'
        'F;QV6K|+DC!SHea+5ij#0RRFK0}%i}09!*GaavoPtZ_!uOx?eR51PDS%C^PAv3A#|8|SgdY~=W;e}ytDGLwjja'
        'h@@e^x=(OVhFgKLbPy1utpT~sN>F9_@EmSbo7%44`JX0$i#4wo#~*|{io_c;<!25ynxt!lFqhK&#GtXt4hq}Ng'
        'HI7O4ZeZ03)6$nm{)o40`&~urm;77G;k&1bx|1Y|gxK)w`i`w^A(qo`u=E<=#SfEI=Hdeq%;uV-'
        'S%6_l&!3gUKJa;*_q&+!|@=3MS#O=Czy#Nhuv7+giSsYl~Ex>Ukw%%w>Jgpke^~0ktVgkt2YhLYP_|8%fTC!Wa'
        'M9',
    "arithmetic":
        '|JeWF01!$>Nk#wx0RR9200961|JwjV01yid4h#wq4h;?x5fBp?C>j_R78o%jB^@X_Gd(;xGdMRuNL)@pL{~*OI'
        '8bd-'
        'S6^ahXlFi6ad~iLcwA*?WB=O#Lje&I5*QU2FB%#zV?sDWV`F1uV`F1uV`F1uV`F1uV`F1uV`F1uV`F1uV`F1uV'
        '`F1uV`F1uV`F1uV`F1uV`Klx01*fP6#x?h0U`hb5di}c0sqVZ3IGrg1pyEd1^?Or3<CiG0ucid06zeneZln<t|'
        'Jj5Er?8UuJI%a;x28~H}iVsm!4>5saGekN5m-'
        'Gb?RPcnA?<vx<TC^pB9z5%2k~(4dOf%{{W?#X!d4{5tLx+56c0{=KlWxaSa;{)6jV{L8%A^1%h%6wq(Dc`^go_'
        '(#74Y)ENK|IwK(5T%Y}BQ7~gNk{CK<g>_l&s<mvuFC@M+Tg|rS@iD<S{!DI&<?lxBhX@K)+|8ly7*ml?Z(?%Ix'
        '136*Il?$LN;0L_2VaoLfdAP',
    "quant16":
        '|JeWF01!$>Nk#wx0RR9200961|JwkA5CIDSw*bfh=>W(8rvVE9=>XXP=>aSO8vzReJpqscngOu^kO6N2Zvl`4F'
        'ak#cXaVB_nghlIQUmw{=mWL`QUj#}lmsdSum$}E69g&*Z3U?Wegl*Pr3Ezy7zITIsRl0wVFt7Y#Rjwl2?YZOTL'
        '<6=N(O=l&jtMklLoW~asS%@gAoB60W1M50gwS+0gwX^0kHwG0}lpq1WW^^1WX2T25|;)25|;)25|;)25|;)25|'
        ';)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;)25|;'
        ')25|;)25|;)266wv01*fP6#x?h0U`hb5di}c0sq7R6aWDL00000000000000000030!~hr&0RaF50000000000'
        '0000001*K}QUAmM6afJM00000000000000000030!~hf#0RR910000000000000000RP$m3<CiG0ucid06ze50'
        '3ZNs00968|Je',
}


# ---- PNG ---------------------------------------------------------------------------------------

GREY, RGB, PALETTE, GREY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
SAMPLES = {GREY: 1, RGB: 3, PALETTE: 1, GREY_ALPHA: 2, RGB_ALPHA: 4}
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
         (0, 1, 1, 2)]


def pattern(width, height, samples, most):
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(samples), indexing="ij")
    return (x * 37 + y * 59 + c * 91 + x * y * (7 + c) + x * x * y) * (1 if most < 256 else 251) \
        % (most + 1)


def packed(row, depth):
    """The samples of a row as bytes."""
    if depth == 16:
        return row.astype(">u2").tobytes()
    bits = "".join(format(int(v), f"0{depth}b") for v in row.ravel())
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i:i + 8], 2) for i in range(0, len(bits), 8))


def paeth(a, b, c):
    p = a + b - c
    return min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]


def filtered(kind, row, above, step):
    out = bytearray([kind])
    for i, v in enumerate(row):
        a = row[i - step] if i >= step else 0
        b = above[i]
        c = above[i - step] if i >= step else 0
        out.append((v - [0, a, b, (a + b) // 2, paeth(a, b, c)][kind]) % 256)
    return bytes(out)


def rows_of(values, depth, begin):
    """Filters of all kinds, one row after another."""
    if not values.size:
        return b""
    step = max(1, values.shape[2] * depth // 8)
    rows = [packed(row, depth) for row in values]
    above = [bytes(len(rows[0]))] + rows
    return b"".join(filtered((begin + i) % 5, rows[i], above[i], step) for i in range(len(rows)))


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(values, kind, depth, interlaced, palette=None, transparency=None, pieces=1):
    height, width, _ = values.shape
    out = b"\x89PNG\r\n\x1a\n" + chunk(
        b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, interlaced))
    if palette is not None:
        out += chunk(b"tEXt", b"Comment\0a palette")
        out += chunk(b"PLTE", palette.astype("u1").tobytes())
    if transparency is not None:
        out += chunk(b"tRNS", transparency)
    if interlaced:
        data = b"".join(rows_of(values[y::dy, x::dx], depth, k)
                        for k, (x, y, dx, dy) in enumerate(ADAM7))
    else:
        data = rows_of(values, depth, 3)
    data = zlib.compress(data, 9)
    cut = -(-len(data) // pieces)
    for k in range(pieces):
        out += chunk(b"IDAT", data[k * cut:(k + 1) * cut])
    return out + chunk(b"IEND", b"")


def png_case(name, kind, depth, interlaced=0, size=(13, 11), key=None, opacity=None, pieces=1):
    """The file and the samples that a reader should find in it."""
    most = 2 ** depth - 1
    values = pattern(*size, SAMPLES[kind], min(most, 12) if kind == PALETTE and depth > 3 else most)
    palette = transparency = None
    want = values * (255 // most if depth < 8 and kind != PALETTE else 1)
    if kind == PALETTE:
        palette = pattern(1, min(most, 12) + 1, 3, 255)[:, 0]
        want = palette[values[:, :, 0]]
        if opacity:
            transparency = bytes(opacity)
            alpha = np.full(len(palette), 255)
            alpha[:len(opacity)] = opacity
            want = np.concatenate([want, alpha[values[:, :, 0]][:, :, None]], axis=2)
    if key is not None:
        full = 65535 if depth == 16 else 255
        pixel = values[key]
        transparency = b"".join(struct.pack(">H", int(v)) for v in pixel)
        alpha = np.where((values == pixel).all(axis=2), 0, full)
        want = np.concatenate([want, alpha[:, :, None]], axis=2)
    file = png(values, kind, depth, interlaced, palette, transparency, pieces)
    check_png(name, file, want, depth)
    return name, "png", file, want, 16 if depth == 16 else 8


def check_png(name, file, want, depth):
    """PIL's samples, of those kinds that it keeps, are ours."""
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[want.shape[2]]
    image = Image.open(io.BytesIO(file))
    if depth == 16 and want.shape[2] < 3:  # PIL has no grey of 16 bits with opacity
        if want.shape[2] == 1:
            assert np.array_equal(np.asarray(image), want[:, :, 0]), name
        return
    if mode == "LA" and image.mode != "LA":  # a key: PIL knows it in colours alone
        got = np.asarray(image.convert("RGBA"))[:, :, [0, 3]]
    else:
        got = np.asarray(image.convert(mode))
    got = got.reshape(want.shape)
    if depth == 16:
        assert np.array_equal(got[:, :, :3], (want >> 8)[:, :, :3]), name
    elif depth < 8 and mode == "LA":  # PIL looks for the key among samples that it has spread
        assert np.array_equal(got[:, :, 0], want[:, :, 0]), name
    else:
        assert np.array_equal(got, want), name


def png_cases():
    kinds = [(GREY, d) for d in (1, 2, 4, 8, 16)] + [(RGB, 8), (RGB, 16)] + \
        [(PALETTE, d) for d in (1, 2, 4, 8)] + [(GREY_ALPHA, 8), (GREY_ALPHA, 16), (RGB_ALPHA, 8),
                                                (RGB_ALPHA, 16)]
    for interlaced in (0, 1):
        for kind, depth in kinds:
            yield png_case(f"type {kind} depth {depth}" + " interlaced" * interlaced, kind, depth,
                           interlaced)
    for kind, depth in [(GREY, 1), (GREY, 4), (GREY, 8), (GREY, 16), (RGB, 8), (RGB, 16)]:
        yield png_case(f"type {kind} depth {depth} with a key", kind, depth, key=(2, 5))
    yield png_case("palette with opacity", PALETTE, 8, opacity=[0, 100, 255, 7])
    yield png_case("small palette with opacity", PALETTE, 2, 1, opacity=[3])
    yield png_case("one pixel", GREY, 8, 1, size=(1, 1))
    yield png_case("one row", RGB, 8, 1, size=(3, 1))
    yield png_case("one column", GREY, 1, 1, size=(1, 5))
    yield png_case("in pieces", RGB, 8, 0, pieces=40)


# ---- JPEG --------------------------------------------------------------------------------------

def shade(width, height, channels=3):
    y, x, c = np.meshgrid(np.arange(height), np.arange(width), np.arange(channels), indexing="ij")
    slope = 128 + 180 * ((x * (3 + c) + y * (2 - c)) % 17 / 17 - 0.5)
    return np.clip(slope + x * y * (c + 1) % 23, 0, 255).astype("u1")


def saved(values, mode, **how):
    out = io.BytesIO()
    if values.shape[2] == 1:
        values = values[:, :, 0]
    Image.fromarray(values, mode).save(out, "JPEG", **how)
    return out.getvalue()


def jpeg_files():
    yield "grey", saved(shade(19, 21, 1), "L", quality=60, optimize=True)
    yield "grey progressive", saved(shade(19, 21, 1), "L", quality=80, progressive=True)
    for subsampling in (0, 1, 2):
        for progressive in (False, True):
            yield (f"subsampling {subsampling}" + " progressive" * progressive,
                   saved(shade(19, 21), "RGB", quality=60, subsampling=subsampling,
                         progressive=progressive, optimize=True))
    yield "fine", saved(shade(17, 9), "RGB", quality=100, subsampling=2)
    yield "two columns", saved(shade(2, 5), "RGB", quality=50, subsampling=2, optimize=True)
    yield "one pixel", saved(shade(1, 1), "RGB", quality=50, subsampling=2, optimize=True)
    inks = saved(shade(19, 21, 4), "CMYK", quality=60, optimize=True)
    yield "inks", inks
    at = inks.index(b"Adobe") + 11
    yield "luminance and black", inks[:at] + b"\2" + inks[at + 1:]
    for name, text in CJPEG.items():
        if name != "arithmetic":
            yield "cjpeg " + name, base64.b85decode("".join(text))


def jpeg_cases():
    for name, file in jpeg_files():
        image = Image.open(io.BytesIO(file))
        if image.mode != "L":
            image = image.convert("RGB")
        want = np.asarray(image)
        yield name, "jpeg", file, want.reshape(want.shape[0], want.shape[1], -1), 8


# ---- Netpbm ------------------------------------------------------------------------------------

def pnm(kind, values, most, comment=b"# a comment 7\n"):
    height, width, _ = values.shape
    head = b"P%d\n%s%d %d\n" % (kind, comment, width, height)
    if kind % 3 != 1:
        head += b"%d\n" % most
    if kind == 4:
        return head + b"".join(packed(1 - row, 1) for row in values)
    if kind == 1:
        return head + b"\n".join(b"".join(b"%d" % (1 - v) for v in row.ravel()) for row in values)
    if kind < 4:
        return head + b"".join(b" ".join(b"%d" % v for v in row.ravel()) + b"\n" for row in values)
    return head + values.astype(">u2" if most > 255 else "u1").tobytes()


def pnm_cases():
    for kind, most in [(1, 1), (2, 255), (3, 255), (4, 1), (5, 255), (6, 255), (2, 101), (5, 15),
                       (6, 101), (5, 65535), (5, 1001), (2, 1001), (6, 1001)]:
        values = pattern(13, 7, 3 if kind % 3 == 0 else 1, most)
        file = pnm(kind, values, most)
        bits = 16 if most > 255 else 8
        full = 2 ** bits - 1
        want = np.floor(values * full / most + 0.5).astype(int)
        image = Image.open(io.BytesIO(file))
        got = np.asarray(image.convert("L") if image.mode == "1" else image)
        got = got.reshape(want.shape)
        if kind == 6 and bits == 16:  # PIL keeps 8 bits
            assert abs(got - values * 255 / most).max() <= 0.5
        else:
            assert abs(got - want).max() == 0, (kind, most)
        yield f"P{kind} up to {most}", {1: "pbm", 2: "pgm", 0: "ppm"}[kind % 3], file, want, bits


# ---- all ---------------------------------------------------------------------------------------

def cases():
    yield from png_cases()
    yield from jpeg_cases()
    yield from pnm_cases()


def write_files(folder):
    os.makedirs(folder, exist_ok=True)
    for name, ending, file, _, _ in cases():
        with open(os.path.join(folder, f"{name.replace(' ', '-')}.{ending}"), "wb") as out:
            out.write(file)


def main():
    h = Header("Pictures of every kind, and the checksums of their samples (CRC-32; of 16 bits "
               "the upper byte first).",
               f"PIL {PIL.__version__}, numpy {np.__version__}, scikit-learn {sklearn.__version__}")
    everything, rows = b"", []
    for name, ending, file, want, bits in cases():
        samples = want.astype(">u2" if bits == 16 else "u1").tobytes()
        height, width, channels = want.shape
        rows.append((name, ending, len(everything), len(file), height, width, channels, bits,
                     zlib.crc32(samples)))
        everything += file
    h.array("picture_bytes", list(everything), "all files, one after another", kind="unsigned char")
    h.records("picture_truth",
              "const char *name, *format; int at, n, height, width, channels, bits; "
              "unsigned crc;", rows, "where each file lies, and what it holds", 0)
    arithmetic = base64.b85decode("".join(CJPEG["arithmetic"]))
    h.array("picture_arithmetic", list(arithmetic), "cjpeg -arithmetic", kind="unsigned char")
    sizes(h)
    few_colours(h)
    h.end()


def sizes(h):
    """A picture in other sizes, as PIL's bilinear filter makes them; and in grey."""
    values = shade(19, 21)
    h.array("picture_shade", values.ravel(), "21 rows of 19 pixels of 3 channels",
            kind="unsigned char")
    image = Image.fromarray(values, "RGB")
    for name, size in [("small", (8, 6)), ("large", (31, 40))]:
        h.array(f"picture_{name}", np.asarray(image.resize(size, Image.BILINEAR)).ravel(),
                f"the same as {size[1]} rows of {size[0]} pixels", kind="unsigned char")
    h.array("picture_grey", np.asarray(image.convert("L")).ravel(), "the same in grey",
            kind="unsigned char")


def few_colours(h):
    """The error of a sample when the picture has few colours, or few blocks."""
    values = shade(24, 20).astype(float)
    h.array("picture_wide", values.astype(int).ravel(), "20 rows of 24 pixels of 3 channels",
            kind="unsigned char")
    pixels = values.reshape(-1, 3)
    best = [KMeans(k, n_init=300, random_state=0, tol=0).fit(pixels).inertia_ / values.size
            for k in (2, 3, 5)]
    h.array("picture_colours_mse", best, "mean squared error of 2, 3 and 5 colours", 1e-9)
    blocks = values.reshape(5, 4, 6, 4, 3).transpose(0, 2, 1, 3, 4).reshape(30, -1)
    best = KMeans(3, n_init=300, random_state=0, tol=0).fit(blocks).inertia_ / values.size
    h.number("picture_blocks_mse", best, "of 3 blocks of 4 x 4", 1e-9)


if sys.argv[1:2] == ["--files"]:
    write_files(sys.argv[2])
else:
    main()
