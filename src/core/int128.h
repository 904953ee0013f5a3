/* int128.h -- the compilers' 128-bit integers under one name. */
#ifndef SMR_CORE_INT128_H
#define SMR_CORE_INT128_H

__extension__ typedef unsigned __int128 smr_u128;
__extension__ typedef __int128 smr_i128;

#endif
