/* version.c -- which samara this is. */
#include "config.h"
#include "samara.h"

const char *smr_version(void)
{
    return SMR_VERSION;
}
