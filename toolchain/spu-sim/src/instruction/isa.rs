//! The instruction table. Every other view of the instruction set (decoder, disassembler, dispatcher,
//! register dependences, timing classes) is derived from the rows below, so they cannot drift apart.
//!
//! A row reads
//!
//! ```text
//! Name "mnemonic" opcode Form Class [written <- read] chapter::function, "meaning";
//! ```
//!
//! * `opcode` is the instruction's opcode left-justified to 11 bits, as in the SPU ISA's opcode map;
//! * `Form` fixes where the fields are and how the operands are written ([`Form`]);
//! * `Class` names the execution unit ([`Class`]), and through it pipe and latency;
//! * `[t <- a b c]` names the register fields written and read, for the dependence check of the timing model;
//! * the function executes the instruction; the text gives its meaning in one line. In it, `t a b c` are the
//!   registers named by the fields, `i` the immediate, `w h b d` lanes of 32, 16, 8 and 64 bits, `.p` the
//!   preferred slot, `<<<` a rotation, `m[x]` the quadword of local store that contains address `x`.
//!
//! Sources: SPU Instruction Set Architecture v1.2 (meaning, encodings), cell-facts A1 and A9 (classes,
//! dependences).

/// Calls `$callback!` once with all rows of the instruction table.
macro_rules! for_each_instruction {
    ($callback:ident) => {
        $callback! {
// Memory: loads and stores (ISA chapter 3).
Lqd "lqd" 0x1a0 Ri10Disp Ls [t <- a] memory::lqd, "t = m[a.p + i*16]";
Lqx "lqx" 0x1c4 Rr Ls [t <- a b] memory::lqx, "t = m[a.p + b.p]";
Lqa "lqa" 0x184 Ri16Abs Ls [t <-] memory::lqa, "t = m[i*4]";
Lqr "lqr" 0x19c Ri16Rel Ls [t <-] memory::lqr, "t = m[pc + i*4]";
Stqd "stqd" 0x120 Ri10Disp Ls [<- t a] memory::stqd, "m[a.p + i*16] = t";
Stqx "stqx" 0x144 Rr Ls [<- t a b] memory::stqx, "m[a.p + b.p] = t";
Stqa "stqa" 0x104 Ri16Abs Ls [<- t] memory::stqa, "m[i*4] = t";
Stqr "stqr" 0x11c Ri16Rel Ls [<- t] memory::stqr, "m[pc + i*4] = t";
Cbd "cbd" 0x1f4 Ri7Disp Shuf [t <- a] memory::cbd, "t = shuffle control that inserts a byte at a.p + i";
Chd "chd" 0x1f5 Ri7Disp Shuf [t <- a] memory::chd, "t = shuffle control that inserts a halfword at a.p + i";
Cwd "cwd" 0x1f6 Ri7Disp Shuf [t <- a] memory::cwd, "t = shuffle control that inserts a word at a.p + i";
Cdd "cdd" 0x1f7 Ri7Disp Shuf [t <- a] memory::cdd, "t = shuffle control that inserts a doubleword at a.p + i";
Cbx "cbx" 0x1d4 Rr Shuf [t <- a b] memory::cbx, "t = shuffle control that inserts a byte at a.p + b.p";
Chx "chx" 0x1d5 Rr Shuf [t <- a b] memory::chx, "t = shuffle control that inserts a halfword at a.p + b.p";
Cwx "cwx" 0x1d6 Rr Shuf [t <- a b] memory::cwx, "t = shuffle control that inserts a word at a.p + b.p";
Cdx "cdx" 0x1d7 Rr Shuf [t <- a b] memory::cdx, "t = shuffle control that inserts a doubleword at a.p + b.p";

// Constant formation (ISA chapter 4).
Ilh "ilh" 0x20c Ri16Unsigned Fx2 [t <-] constant::ilh, "t.h = i";
Ilhu "ilhu" 0x208 Ri16Unsigned Fx2 [t <-] constant::ilhu, "t.w = i << 16";
Il "il" 0x204 Ri16 Fx2 [t <-] constant::il, "t.w = sign-extended i";
Ila "ila" 0x210 Ri18 Fx2 [t <-] constant::ila, "t.w = i (18 bits, zero-extended)";
Iohl "iohl" 0x304 Ri16Unsigned Fx2 [t <- t] constant::iohl, "t.w = t.w | i";
Fsmbi "fsmbi" 0x194 Ri16Unsigned Shuf [t <-] constant::fsmbi, "t.b[k] = bit k of i ? 0xff : 0";

// Integer and logical (ISA chapter 5).
Ah "ah" 0x0c8 Rr Fx2 [t <- a b] integer::ah, "t.h = a.h + b.h";
Ahi "ahi" 0x0e8 Ri10 Fx2 [t <- a] integer::ahi, "t.h = a.h + i";
A "a" 0x0c0 Rr Fx2 [t <- a b] integer::a, "t.w = a.w + b.w";
Ai "ai" 0x0e0 Ri10 Fx2 [t <- a] integer::ai, "t.w = a.w + i";
Sfh "sfh" 0x048 Rr Fx2 [t <- a b] integer::sfh, "t.h = b.h - a.h";
Sfhi "sfhi" 0x068 Ri10 Fx2 [t <- a] integer::sfhi, "t.h = i - a.h";
Sf "sf" 0x040 Rr Fx2 [t <- a b] integer::sf, "t.w = b.w - a.w";
Sfi "sfi" 0x060 Ri10 Fx2 [t <- a] integer::sfi, "t.w = i - a.w";
Addx "addx" 0x340 Rr Fx2 [t <- a b t] integer::addx, "t.w = a.w + b.w + (t.w & 1)";
Cg "cg" 0x0c2 Rr Fx2 [t <- a b] integer::cg, "t.w = carry out of a.w + b.w";
Cgx "cgx" 0x342 Rr Fx2 [t <- a b t] integer::cgx, "t.w = carry out of a.w + b.w + (t.w & 1)";
Sfx "sfx" 0x341 Rr Fx2 [t <- a b t] integer::sfx, "t.w = b.w + !a.w + (t.w & 1)";
Bg "bg" 0x042 Rr Fx2 [t <- a b] integer::bg, "t.w = carry out of b.w + !a.w + 1";
Bgx "bgx" 0x343 Rr Fx2 [t <- a b t] integer::bgx, "t.w = carry out of b.w + !a.w + (t.w & 1)";
Mpy "mpy" 0x3c4 Rr Fp7 [t <- a b] integer::mpy, "t.w = a.lo * b.lo (signed halves)";
Mpyu "mpyu" 0x3cc Rr Fp7 [t <- a b] integer::mpyu, "t.w = a.lo * b.lo (unsigned halves)";
Mpyi "mpyi" 0x3a0 Ri10 Fp7 [t <- a] integer::mpyi, "t.w = a.lo * i (signed)";
Mpyui "mpyui" 0x3a8 Ri10 Fp7 [t <- a] integer::mpyui, "t.w = a.lo * (i as 16 bits) (unsigned)";
Mpya "mpya" 0x600 Rrr Fp7 [t <- a b c] integer::mpya, "t.w = a.lo * b.lo + c.w (signed)";
Mpyh "mpyh" 0x3c5 Rr Fp7 [t <- a b] integer::mpyh, "t.w = (a.hi * b.lo) << 16";
Mpys "mpys" 0x3c7 Rr Fp7 [t <- a b] integer::mpys, "t.w = (a.lo * b.lo) >> 16 (signed)";
Mpyhh "mpyhh" 0x3c6 Rr Fp7 [t <- a b] integer::mpyhh, "t.w = a.hi * b.hi (signed)";
Mpyhha "mpyhha" 0x346 Rr Fp7 [t <- a b t] integer::mpyhha, "t.w = a.hi * b.hi + t.w (signed)";
Mpyhhu "mpyhhu" 0x3ce Rr Fp7 [t <- a b] integer::mpyhhu, "t.w = a.hi * b.hi (unsigned)";
Mpyhhau "mpyhhau" 0x34e Rr Fp7 [t <- a b t] integer::mpyhhau, "t.w = a.hi * b.hi + t.w (unsigned)";
Clz "clz" 0x2a5 Rr2 Fx2 [t <- a] integer::clz, "t.w = leading zero bits of a.w";
Cntb "cntb" 0x2b4 Rr2 Fxb [t <- a] integer::cntb, "t.b = one bits of a.b";
Fsmb "fsmb" 0x1b6 Rr2 Shuf [t <- a] integer::fsmb, "t.b[k] = bit k of a.p's low 16 ? 0xff : 0";
Fsmh "fsmh" 0x1b5 Rr2 Shuf [t <- a] integer::fsmh, "t.h[k] = bit k of a.p's low 8 ? 0xffff : 0";
Fsm "fsm" 0x1b4 Rr2 Shuf [t <- a] integer::fsm, "t.w[k] = bit k of a.p's low 4 ? all ones : 0";
Gbb "gbb" 0x1b2 Rr2 Shuf [t <- a] integer::gbb, "t.p = low bits of the 16 bytes of a";
Gbh "gbh" 0x1b1 Rr2 Shuf [t <- a] integer::gbh, "t.p = low bits of the 8 halfwords of a";
Gb "gb" 0x1b0 Rr2 Shuf [t <- a] integer::gb, "t.p = low bits of the 4 words of a";
Avgb "avgb" 0x0d3 Rr Fxb [t <- a b] integer::avgb, "t.b = (a.b + b.b + 1) >> 1";
Absdb "absdb" 0x053 Rr Fxb [t <- a b] integer::absdb, "t.b = |a.b - b.b|";
Sumb "sumb" 0x253 Rr Fxb [t <- a b] integer::sumb, "t.hi = sum of the bytes of b.w, t.lo = sum of those of a.w";
Xsbh "xsbh" 0x2b6 Rr2 Fx2 [t <- a] integer::xsbh, "t.h = sign-extended low byte of a.h";
Xshw "xshw" 0x2ae Rr2 Fx2 [t <- a] integer::xshw, "t.w = sign-extended low half of a.w";
Xswd "xswd" 0x2a6 Rr2 Fx2 [t <- a] integer::xswd, "t.d = sign-extended low word of a.d";
And "and" 0x0c1 Rr Fx2 [t <- a b] logical::and, "t = a & b";
Andc "andc" 0x2c1 Rr Fx2 [t <- a b] logical::andc, "t = a & !b";
Andbi "andbi" 0x0b0 Ri10 Fx2 [t <- a] logical::andbi, "t.b = a.b & i";
Andhi "andhi" 0x0a8 Ri10 Fx2 [t <- a] logical::andhi, "t.h = a.h & i";
Andi "andi" 0x0a0 Ri10 Fx2 [t <- a] logical::andi, "t.w = a.w & i";
Or "or" 0x041 Rr Fx2 [t <- a b] logical::or, "t = a | b";
Orc "orc" 0x2c9 Rr Fx2 [t <- a b] logical::orc, "t = a | !b";
Orbi "orbi" 0x030 Ri10 Fx2 [t <- a] logical::orbi, "t.b = a.b | i";
Orhi "orhi" 0x028 Ri10 Fx2 [t <- a] logical::orhi, "t.h = a.h | i";
Ori "ori" 0x020 Ri10 Fx2 [t <- a] logical::ori, "t.w = a.w | i";
Orx "orx" 0x1f0 Rr2 Shuf [t <- a] logical::orx, "t.p = a.w[0] | a.w[1] | a.w[2] | a.w[3]";
Xor "xor" 0x241 Rr Fx2 [t <- a b] logical::xor, "t = a ^ b";
Xorbi "xorbi" 0x230 Ri10 Fx2 [t <- a] logical::xorbi, "t.b = a.b ^ i";
Xorhi "xorhi" 0x228 Ri10 Fx2 [t <- a] logical::xorhi, "t.h = a.h ^ i";
Xori "xori" 0x220 Ri10 Fx2 [t <- a] logical::xori, "t.w = a.w ^ i";
Nand "nand" 0x0c9 Rr Fx2 [t <- a b] logical::nand, "t = !(a & b)";
Nor "nor" 0x049 Rr Fx2 [t <- a b] logical::nor, "t = !(a | b)";
Eqv "eqv" 0x249 Rr Fx2 [t <- a b] logical::eqv, "t = !(a ^ b)";
Selb "selb" 0x400 Rrr Fx2 [t <- a b c] logical::selb, "t = (a & !c) | (b & c)";
Shufb "shufb" 0x580 Rrr Shuf [t <- a b c] logical::shufb, "t.b = byte of a:b, or a constant, chosen by c.b";

// Shift and rotate (ISA chapter 6).
Shlh "shlh" 0x05f Rr Fx3 [t <- a b] shift::shlh, "t.h = a.h << b.h";
Shlhi "shlhi" 0x07f Ri7 Fx3 [t <- a] shift::shlhi, "t.h = a.h << i";
Shl "shl" 0x05b Rr Fx3 [t <- a b] shift::shl, "t.w = a.w << b.w";
Shli "shli" 0x07b Ri7 Fx3 [t <- a] shift::shli, "t.w = a.w << i";
Shlqbi "shlqbi" 0x1db Rr Shuf [t <- a b] shift::shlqbi, "t = a << (b.p & 7) bits";
Shlqbii "shlqbii" 0x1fb Ri7 Shuf [t <- a] shift::shlqbii, "t = a << (i & 7) bits";
Shlqby "shlqby" 0x1df Rr Shuf [t <- a b] shift::shlqby, "t = a << (b.p & 31) bytes";
Shlqbyi "shlqbyi" 0x1ff Ri7 Shuf [t <- a] shift::shlqbyi, "t = a << (i & 31) bytes";
Shlqbybi "shlqbybi" 0x1cf Rr Shuf [t <- a b] shift::shlqbybi, "t = a << (b.p >> 3 & 31) bytes";
Roth "roth" 0x05c Rr Fx3 [t <- a b] shift::roth, "t.h = a.h <<< b.h";
Rothi "rothi" 0x07c Ri7 Fx3 [t <- a] shift::rothi, "t.h = a.h <<< i";
Rot "rot" 0x058 Rr Fx3 [t <- a b] shift::rot, "t.w = a.w <<< b.w";
Roti "roti" 0x078 Ri7 Fx3 [t <- a] shift::roti, "t.w = a.w <<< i";
Rotqby "rotqby" 0x1dc Rr Shuf [t <- a b] shift::rotqby, "t = a <<< b.p bytes";
Rotqbyi "rotqbyi" 0x1fc Ri7 Shuf [t <- a] shift::rotqbyi, "t = a <<< i bytes";
Rotqbybi "rotqbybi" 0x1cc Rr Shuf [t <- a b] shift::rotqbybi, "t = a <<< (b.p >> 3) bytes";
Rotqbi "rotqbi" 0x1d8 Rr Shuf [t <- a b] shift::rotqbi, "t = a <<< (b.p & 7) bits";
Rotqbii "rotqbii" 0x1f8 Ri7 Shuf [t <- a] shift::rotqbii, "t = a <<< (i & 7) bits";
Rothm "rothm" 0x05d Rr Fx3 [t <- a b] shift::rothm, "t.h = a.h >> -b.h";
Rothmi "rothmi" 0x07d Ri7 Fx3 [t <- a] shift::rothmi, "t.h = a.h >> -i";
Rotm "rotm" 0x059 Rr Fx3 [t <- a b] shift::rotm, "t.w = a.w >> -b.w";
Rotmi "rotmi" 0x079 Ri7 Fx3 [t <- a] shift::rotmi, "t.w = a.w >> -i";
Rotqmby "rotqmby" 0x1dd Rr Shuf [t <- a b] shift::rotqmby, "t = a >> (-b.p & 31) bytes";
Rotqmbyi "rotqmbyi" 0x1fd Ri7 Shuf [t <- a] shift::rotqmbyi, "t = a >> (-i & 31) bytes";
Rotqmbybi "rotqmbybi" 0x1cd Rr Shuf [t <- a b] shift::rotqmbybi, "t = a >> (-(b.p >> 3) & 31) bytes";
Rotqmbi "rotqmbi" 0x1d9 Rr Shuf [t <- a b] shift::rotqmbi, "t = a >> (-b.p & 7) bits";
Rotqmbii "rotqmbii" 0x1f9 Ri7 Shuf [t <- a] shift::rotqmbii, "t = a >> (-i & 7) bits";
Rotmah "rotmah" 0x05e Rr Fx3 [t <- a b] shift::rotmah, "t.h = a.h >> -b.h (arithmetic)";
Rotmahi "rotmahi" 0x07e Ri7 Fx3 [t <- a] shift::rotmahi, "t.h = a.h >> -i (arithmetic)";
Rotma "rotma" 0x05a Rr Fx3 [t <- a b] shift::rotma, "t.w = a.w >> -b.w (arithmetic)";
Rotmai "rotmai" 0x07a Ri7 Fx3 [t <- a] shift::rotmai, "t.w = a.w >> -i (arithmetic)";

// Compare and halt (ISA chapter 7).
Heq "heq" 0x3d8 Rr Fx2 [<- a b] compare::heq, "halt if a.p == b.p";
Heqi "heqi" 0x3f8 Ri10 Fx2 [<- a] compare::heqi, "halt if a.p == i";
Hgt "hgt" 0x258 Rr Fx2 [<- a b] compare::hgt, "halt if a.p > b.p (signed)";
Hgti "hgti" 0x278 Ri10 Fx2 [<- a] compare::hgti, "halt if a.p > i (signed)";
Hlgt "hlgt" 0x2d8 Rr Fx2 [<- a b] compare::hlgt, "halt if a.p > b.p (unsigned)";
Hlgti "hlgti" 0x2f8 Ri10 Fx2 [<- a] compare::hlgti, "halt if a.p > i (unsigned)";
Ceqb "ceqb" 0x3d0 Rr Fx2 [t <- a b] compare::ceqb, "t.b = a.b == b.b ? ones : 0";
Ceqbi "ceqbi" 0x3f0 Ri10 Fx2 [t <- a] compare::ceqbi, "t.b = a.b == i ? ones : 0";
Ceqh "ceqh" 0x3c8 Rr Fx2 [t <- a b] compare::ceqh, "t.h = a.h == b.h ? ones : 0";
Ceqhi "ceqhi" 0x3e8 Ri10 Fx2 [t <- a] compare::ceqhi, "t.h = a.h == i ? ones : 0";
Ceq "ceq" 0x3c0 Rr Fx2 [t <- a b] compare::ceq, "t.w = a.w == b.w ? ones : 0";
Ceqi "ceqi" 0x3e0 Ri10 Fx2 [t <- a] compare::ceqi, "t.w = a.w == i ? ones : 0";
Cgtb "cgtb" 0x250 Rr Fx2 [t <- a b] compare::cgtb, "t.b = a.b > b.b ? ones : 0 (signed)";
Cgtbi "cgtbi" 0x270 Ri10 Fx2 [t <- a] compare::cgtbi, "t.b = a.b > i ? ones : 0 (signed)";
Cgth "cgth" 0x248 Rr Fx2 [t <- a b] compare::cgth, "t.h = a.h > b.h ? ones : 0 (signed)";
Cgthi "cgthi" 0x268 Ri10 Fx2 [t <- a] compare::cgthi, "t.h = a.h > i ? ones : 0 (signed)";
Cgt "cgt" 0x240 Rr Fx2 [t <- a b] compare::cgt, "t.w = a.w > b.w ? ones : 0 (signed)";
Cgti "cgti" 0x260 Ri10 Fx2 [t <- a] compare::cgti, "t.w = a.w > i ? ones : 0 (signed)";
Clgtb "clgtb" 0x2d0 Rr Fx2 [t <- a b] compare::clgtb, "t.b = a.b > b.b ? ones : 0 (unsigned)";
Clgtbi "clgtbi" 0x2f0 Ri10 Fx2 [t <- a] compare::clgtbi, "t.b = a.b > i ? ones : 0 (unsigned)";
Clgth "clgth" 0x2c8 Rr Fx2 [t <- a b] compare::clgth, "t.h = a.h > b.h ? ones : 0 (unsigned)";
Clgthi "clgthi" 0x2e8 Ri10 Fx2 [t <- a] compare::clgthi, "t.h = a.h > i ? ones : 0 (unsigned)";
Clgt "clgt" 0x2c0 Rr Fx2 [t <- a b] compare::clgt, "t.w = a.w > b.w ? ones : 0 (unsigned)";
Clgti "clgti" 0x2e0 Ri10 Fx2 [t <- a] compare::clgti, "t.w = a.w > i ? ones : 0 (unsigned)";

// Branches and hints (ISA chapters 7 and 8).
Br "br" 0x190 Rel Br [<-] branch::br, "jump to pc + i*4";
Bra "bra" 0x180 Abs Br [<-] branch::bra, "jump to i*4";
Brsl "brsl" 0x198 Ri16Rel Br [t <-] branch::brsl, "t.p = pc + 4, jump to pc + i*4";
Brasl "brasl" 0x188 Ri16Abs Br [t <-] branch::brasl, "t.p = pc + 4, jump to i*4";
Bi "bi" 0x1a8 IndirectRa Br [<- a] branch::bi, "jump to a.p";
Iret "iret" 0x1aa IndirectRa Br [<- a] branch::iret, "jump to SRR0";
Bisled "bisled" 0x1ab Indirect Br [t <- a] branch::bisled, "t.p = pc + 4, jump to a.p if an event is pending";
Bisl "bisl" 0x1a9 Indirect Br [t <- a] branch::bisl, "t.p = pc + 4, jump to a.p";
Brnz "brnz" 0x108 Ri16Rel Br [<- t] branch::brnz, "jump to pc + i*4 if t.p != 0";
Brz "brz" 0x100 Ri16Rel Br [<- t] branch::brz, "jump to pc + i*4 if t.p == 0";
Brhnz "brhnz" 0x118 Ri16Rel Br [<- t] branch::brhnz, "jump to pc + i*4 if low half of t.p != 0";
Brhz "brhz" 0x110 Ri16Rel Br [<- t] branch::brhz, "jump to pc + i*4 if low half of t.p == 0";
Biz "biz" 0x128 Indirect Br [<- t a] branch::biz, "jump to a.p if t.p == 0";
Binz "binz" 0x129 Indirect Br [<- t a] branch::binz, "jump to a.p if t.p != 0";
Bihz "bihz" 0x12a Indirect Br [<- t a] branch::bihz, "jump to a.p if low half of t.p == 0";
Bihnz "bihnz" 0x12b Indirect Br [<- t a] branch::bihnz, "jump to a.p if low half of t.p != 0";
Hbr "hbr" 0x1ac HintRa Hint [<- a] branch::hint, "expect the branch at pc + i*4 to go to a.p; with P, prefetch code inline";
Hbra "hbra" 0x080 HintAbs Hint [<-] branch::hint, "expect the branch at pc + b*4 to go to i*4";
Hbrr "hbrr" 0x090 HintRel Hint [<-] branch::hint, "expect the branch at pc + b*4 to go to pc + i*4";

// Floating point (ISA chapter 9).
Fa "fa" 0x2c4 Rr Fp6 [t <- a b] float_single::fa, "t.w = a.w + b.w (single)";
Fs "fs" 0x2c5 Rr Fp6 [t <- a b] float_single::fs, "t.w = a.w - b.w (single)";
Fm "fm" 0x2c6 Rr Fp6 [t <- a b] float_single::fm, "t.w = a.w * b.w (single)";
Fma "fma" 0x700 Rrr Fp6 [t <- a b c] float_single::fma, "t.w = a.w * b.w + c.w (single)";
Fnms "fnms" 0x680 Rrr Fp6 [t <- a b c] float_single::fnms, "t.w = c.w - a.w * b.w (single)";
Fms "fms" 0x780 Rrr Fp6 [t <- a b c] float_single::fms, "t.w = a.w * b.w - c.w (single)";
Frest "frest" 0x1b8 Rr2 Shuf [t <- a] float_single::frest, "t.w = estimate of 1 / a.w (base and step for fi)";
Frsqest "frsqest" 0x1b9 Rr2 Shuf [t <- a] float_single::frsqest, "t.w = estimate of 1 / sqrt|a.w| (for fi)";
Fi "fi" 0x3d4 Rr Fp7 [t <- a b] float_single::fi, "t.w = base(b.w) - step(b.w) * fraction(a.w)";
Csflt "csflt" 0x3b4 Ri8To Fp7 [t <- a] float_single::csflt, "t.w = float(a.w signed) / 2^i";
Cflts "cflts" 0x3b0 Ri8From Fp7 [t <- a] float_single::cflts, "t.w = signed(a.w * 2^i), saturating";
Cuflt "cuflt" 0x3b6 Ri8To Fp7 [t <- a] float_single::cuflt, "t.w = float(a.w unsigned) / 2^i";
Cfltu "cfltu" 0x3b2 Ri8From Fp7 [t <- a] float_single::cfltu, "t.w = unsigned(a.w * 2^i), saturating";
Fceq "fceq" 0x3c2 Rr Fx2 [t <- a b] float_single::fceq, "t.w = a.w == b.w ? ones : 0 (single)";
Fcmeq "fcmeq" 0x3ca Rr Fx2 [t <- a b] float_single::fcmeq, "t.w = |a.w| == |b.w| ? ones : 0 (single)";
Fcgt "fcgt" 0x2c2 Rr Fx2 [t <- a b] float_single::fcgt, "t.w = a.w > b.w ? ones : 0 (single)";
Fcmgt "fcmgt" 0x2ca Rr Fx2 [t <- a b] float_single::fcmgt, "t.w = |a.w| > |b.w| ? ones : 0 (single)";
Dfa "dfa" 0x2cc Rr Fpd [t <- a b] float_double::dfa, "t.d = a.d + b.d";
Dfs "dfs" 0x2cd Rr Fpd [t <- a b] float_double::dfs, "t.d = a.d - b.d";
Dfm "dfm" 0x2ce Rr Fpd [t <- a b] float_double::dfm, "t.d = a.d * b.d";
Dfma "dfma" 0x35c Rr Fpd [t <- a b t] float_double::dfma, "t.d = a.d * b.d + t.d";
Dfms "dfms" 0x35d Rr Fpd [t <- a b t] float_double::dfms, "t.d = a.d * b.d - t.d";
Dfnms "dfnms" 0x35e Rr Fpd [t <- a b t] float_double::dfnms, "t.d = -(a.d * b.d - t.d)";
Dfnma "dfnma" 0x35f Rr Fpd [t <- a b t] float_double::dfnma, "t.d = -(a.d * b.d + t.d)";
Fesd "fesd" 0x3b8 Rr2 Fpd [t <- a] float_double::fesd, "t.d = double(left word of a.d)";
Frds "frds" 0x3b9 Rr2 Fpd [t <- a] float_double::frds, "left word of t.d = single(a.d), right word 0";
Dfceq "dfceq" 0x3c3 Rr Fx2 [t <- a b] float_double::dfceq, "t.d = a.d == b.d ? ones : 0 (PowerXCell 8i)";
Dfcmeq "dfcmeq" 0x3cb Rr Fx2 [t <- a b] float_double::dfcmeq, "t.d = |a.d| == |b.d| ? ones : 0 (PowerXCell 8i)";
Dfcgt "dfcgt" 0x2c3 Rr Fx2 [t <- a b] float_double::dfcgt, "t.d = a.d > b.d ? ones : 0 (PowerXCell 8i)";
Dfcmgt "dfcmgt" 0x2cb Rr Fx2 [t <- a b] float_double::dfcmgt, "t.d = |a.d| > |b.d| ? ones : 0 (PowerXCell 8i)";
Dftsv "dftsv" 0x3bf Ri7 Fx2 [t <- a] float_double::dftsv, "t.d = a.d is of a class in i ? ones : 0 (PowerXCell 8i)";
Fscrrd "fscrrd" 0x398 Rt Fpd [t <-] float_double::fscrrd, "t = FPSCR";
Fscrwr "fscrwr" 0x3ba Rr2 Fp7 [<- a] float_double::fscrwr, "FPSCR = a";

// Control and channels (ISA chapters 10 and 11).
Stop "stop" 0x000 Bare Br [<-] control::stop, "stop and signal the 14-bit code";
Stopd "stopd" 0x140 Rr Br [<- t a b] control::stopd, "stop and signal 0x3fff once t, a, b are ready";
Lnop "lnop" 0x001 Bare Lnop [<-] control::nop, "nothing, odd pipe";
Nop "nop" 0x201 Rt Nop [<-] control::nop, "nothing, even pipe";
Sync "sync" 0x002 BareSync Br [<-] control::nop, "wait for earlier stores, then fetch anew";
Dsync "dsync" 0x003 Bare Br [<-] control::nop, "wait for earlier loads and stores";
Mfspr "mfspr" 0x00c MfSpr Spr [t <-] control::mfspr, "t = special register";
Mtspr "mtspr" 0x10c MtSpr Spr [<- t] control::mtspr, "special register = t";
Rdch "rdch" 0x00d RdCh Spr [t <-] channel::rdch, "t.p = channel, waiting for its data";
Rchcnt "rchcnt" 0x00f RdCh Spr [t <-] channel::rchcnt, "t.p = capacity of the channel";
Wrch "wrch" 0x10d WrCh Spr [<- t] channel::wrch, "channel = t.p, waiting for room";
        }
    };
}
pub(crate) use for_each_instruction;

/// Where an instruction's fields are, and how its operands are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// 4-bit opcode, `t,a,b,c`; the target is the field beside the opcode.
    Rrr,
    /// `t,a,b`.
    Rr,
    /// `t,a`.
    Rr2,
    /// `t`.
    Rt,
    /// No operands.
    Bare,
    /// No operands, with the C (channel) feature bit.
    BareSync,
    /// `a`, with the interrupt feature bits.
    IndirectRa,
    /// `t,a`, with the interrupt feature bits.
    Indirect,
    /// `t,special register`.
    MfSpr,
    /// `special register,t`.
    MtSpr,
    /// `t,channel`.
    RdCh,
    /// `channel,t`.
    WrCh,
    /// `t,a,i7`.
    Ri7,
    /// `t,i7(a)`.
    Ri7Disp,
    /// `t,a,173 - i8` (float to integer).
    Ri8From,
    /// `t,a,155 - i8` (integer to float).
    Ri8To,
    /// `t,a,i10`.
    Ri10,
    /// `t,i10*16(a)`.
    Ri10Disp,
    /// `t,i16`, signed.
    Ri16,
    /// `t,i16`, unsigned.
    Ri16Unsigned,
    /// `t,address`, relative.
    Ri16Rel,
    /// `t,address`, absolute.
    Ri16Abs,
    /// `address`, relative.
    Rel,
    /// `address`, absolute.
    Abs,
    /// `t,i18`, 7-bit opcode.
    Ri18,
    /// `branch,a`, 11-bit opcode.
    HintRa,
    /// `branch,target`, absolute target, 7-bit opcode.
    HintAbs,
    /// `branch,target`, relative target, 7-bit opcode.
    HintRel,
}

impl Form {
    /// Number of opcode bits.
    pub const fn opcode_bits(self) -> u32 {
        match self {
            Form::Rrr => 4,
            Form::Ri18 | Form::HintAbs | Form::HintRel => 7,
            Form::Ri10 | Form::Ri10Disp => 8,
            Form::Ri16 | Form::Ri16Unsigned | Form::Ri16Rel | Form::Ri16Abs | Form::Rel | Form::Abs => 9,
            Form::Ri8From | Form::Ri8To => 10,
            _ => 11,
        }
    }
}

/// Execution unit of an instruction (cell-facts A1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Simple fixed point, logical, compares, halts.
    Fx2,
    /// Shifts and rotates of words and halfwords.
    Fx3,
    /// Byte operations.
    Fxb,
    /// Single-precision arithmetic.
    Fp6,
    /// Integer multiply, conversions, interpolation.
    Fp7,
    /// Double-precision arithmetic.
    Fpd,
    /// Even no-operation.
    Nop,
    /// Loads and stores.
    Ls,
    /// Branch hints.
    Hint,
    /// Shuffles, quadword shifts, estimates, mask formation.
    Shuf,
    /// Branches, stops, synchronisation.
    Br,
    /// Channels and special registers.
    Spr,
    /// Odd no-operation.
    Lnop,
}

/// One of the two instruction pipes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pipe {
    /// Pipe 0: arithmetic. Takes the instruction at an even word address.
    Even,
    /// Pipe 1: memory, permutation, branches, channels. Takes the instruction at an odd word address.
    Odd,
}

impl Class {
    /// The pipe that the unit belongs to.
    pub const fn pipe(self) -> Pipe {
        match self {
            Class::Fx2 | Class::Fx3 | Class::Fxb | Class::Fp6 | Class::Fp7 | Class::Fpd | Class::Nop => {
                Pipe::Even
            }
            Class::Ls | Class::Hint | Class::Shuf | Class::Br | Class::Spr | Class::Lnop => Pipe::Odd,
        }
    }
}

/// A set of register fields, one bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fields(u8);

impl Fields {
    /// The target field.
    pub const T: Fields = Fields(1);
    /// The first source field.
    pub const A: Fields = Fields(2);
    /// The second source field.
    pub const B: Fields = Fields(4);
    /// The third source field.
    pub const C: Fields = Fields(8);

    const fn none() -> Fields {
        Fields(0)
    }

    const fn with(self, other: Fields) -> Fields {
        Fields(self.0 | other.0)
    }

    /// Whether all of `other` is in the set.
    #[inline]
    pub const fn contains(self, other: Fields) -> bool {
        self.0 & other.0 == other.0
    }
}

/// Everything the table says about one instruction, except how to execute it.
#[derive(Debug, Clone, Copy)]
pub struct Description {
    /// The opcode.
    pub opcode: Opcode,
    /// Assembler name.
    pub mnemonic: &'static str,
    /// Opcode bits, left-justified to 11 bits.
    pub bits: u16,
    /// Field layout.
    pub form: Form,
    /// Execution unit.
    pub class: Class,
    /// Register fields that it reads.
    pub reads: Fields,
    /// Whether it writes its target field.
    pub writes: bool,
    /// Its meaning in one line.
    pub meaning: &'static str,
}

macro_rules! field {
    (t) => {
        Fields::T
    };
    (a) => {
        Fields::A
    };
    (b) => {
        Fields::B
    };
    (c) => {
        Fields::C
    };
}

macro_rules! define_opcodes {
    ($($name:ident $mnemonic:literal $bits:literal $form:ident $class:ident
       [$($written:ident)? <- $($read:ident)*] $chapter:ident :: $function:ident, $meaning:literal;)*) => {
        /// The instructions, and what a word that is none of them decodes to.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = concat!("`", $mnemonic, "`: `", $meaning, "`")] $name,)*
            /// No instruction of the SPU.
            Invalid,
        }

        /// All rows of the table, indexed by `Opcode as usize`.
        pub static INSTRUCTIONS: &[Description] = &[
            $(Description {
                opcode: Opcode::$name,
                mnemonic: $mnemonic,
                bits: $bits,
                form: Form::$form,
                class: Class::$class,
                reads: Fields::none()$(.with(field!($read)))*,
                writes: false $(|| field!($written).contains(Fields::T))?,
                meaning: $meaning,
            },)*
        ];

        /// For each 11-bit opcode, the instruction that it begins.
        pub(crate) static OPCODE_MAP: [Opcode; 2048] = {
            let mut map = [Opcode::Invalid; 2048];
            $({
                let span = 1usize << (11 - Form::$form.opcode_bits());
                let mut low = 0;
                while low < span {
                    assert!(matches!(map[$bits + low], Opcode::Invalid), "two instructions share an opcode");
                    map[$bits + low] = Opcode::$name;
                    low += 1;
                }
            })*
            map
        };
    };
}
for_each_instruction!(define_opcodes);

impl Opcode {
    /// The table's row, or `None` for [`Opcode::Invalid`].
    #[inline]
    pub fn description(self) -> Option<&'static Description> {
        INSTRUCTIONS.get(self as usize)
    }

    /// The execution unit; an invalid instruction counts as a branch, because it ends the flow like a stop.
    #[inline]
    pub fn class(self) -> Class {
        self.description().map_or(Class::Br, |d| d.class)
    }
}
