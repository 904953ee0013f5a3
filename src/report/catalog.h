/* catalog.h -- generators and measures, listed from their tables. */
#ifndef SMR_REPORT_CATALOG_H
#define SMR_REPORT_CATALOG_H

#include "core/json.h"
#include "data/generate.h"

/* Adds "generators" and "measures". */
void smr_report_generators(smr_json *into);
/* One generator: its text and its settings. */
void smr_report_generator(const smr_generator *generator, smr_json *into);
void smr_report_measures(smr_json *into);

/* One line for each generator. */
void smr_report_generator_names(smr_text *out);
/* The kernels, and how they are put together. */
void smr_report_kernel_names(smr_text *out);
/* One line for each measure of a task. */
void smr_report_measure_names(smr_task task, smr_text *out);
/* The page of `samara help moons`. */
void smr_report_generator_help(const smr_generator *generator, smr_text *out);

#endif
