#include "kat_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agreement.h"

/* Memory that could be had without swapping, in bytes; no bound where the kernel does not tell. */
static unsigned long long available_memory(void)
{
    unsigned long long kib = 0;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "re");
    if (file == NULL)
        return ~0ULL;
    while (fgets(line, sizeof line, file) != NULL && sscanf(line, "MemAvailable: %llu kB", &kib) != 1)
        ;
    fclose(file);
    return kib == 0 ? ~0ULL : kib * 1024;
}

/* Asks every so many questions of a second process, in other circumstances; the answers must be those in examinee's
 * digests, and come behind them. */
static bool check(struct kat_file *file, struct examinee *examinee, const struct procedure *procedure,
                  const struct question *questions)
{
    static struct question chosen[KAT_MOST_RECORDS];
    unsigned count = 0;
    size_t width = examinee->digest_bits / 8;
    if (procedure->check_every == 0)
        return true;
    for (unsigned i = 0; i < procedure->records_per_batch; i += procedure->check_every)
        chosen[count++] = questions[i], chosen[count++] = questions[i];

    const unsigned char *first = examinee->digests;
    unsigned char *again = examinee->digests + procedure->records_per_batch * width;
    examinee_answer(examinee, chosen, count, DISTURBED, again, &file->finding);
    if (file->finding.outcome != OUTCOME_DONE) {
        file->failed = chosen[file->finding.asked];
        return false;
    }
    for (unsigned i = 0; i < count; i++, again += width)
        if (!answers_agree(&chosen[i], first + (chosen[i].record - questions[0].record) * width, again, width,
                           &file->finding)) {
            file->failed = chosen[i];
            return false;
        }
    return true;
}

/* False where the file ends with this batch, for the reason in file->finding. */
static bool run_batch(struct kat_file *file, struct examinee *examinee, const struct procedure *procedure,
                      const struct question *questions)
{
    enum manner manner = strcmp(procedure->name, "loop") == 0 ? LOOPING : PLAINLY;
    unsigned count = procedure->records_per_batch;
    examinee_answer(examinee, questions, count, manner, examinee->digests, &file->finding);
    if (file->finding.outcome != OUTCOME_DONE) {
        file->records += file->finding.asked;
        file->failed = questions[file->finding.asked];
        return false;
    }
    file->records += count;
    if (!check(file, examinee, procedure, questions))
        return false;
    for (unsigned i = 0; i < count; i++)
        kat_text_record(&file->text, procedure, &questions[i], examinee->digests + i * (examinee->digest_bits / 8),
                        examinee->digest_bits);
    return true;
}

static void refuse(struct finding *finding, const struct procedure *procedure)
{
    finding->outcome = OUTCOME_KILLED;
    snprintf(finding->reason, sizeof finding->reason,
             "not run: its messages need %zu MiB of memory, more than is available",
             (procedure->batch_bytes >> 20) + 1);
}

void kat_file_run(struct kat_file *file, const struct procedure *procedure, const char *library, unsigned digest_bits,
                  double seconds, const struct sandbox *sandbox)
{
    static struct question questions[KAT_MOST_RECORDS];
    struct examinee examinee = {
        .library = library, .sandbox = sandbox, .digest_bits = digest_bits, .seconds = seconds, .limit = seconds};
    *file = (struct kat_file){.records = 0};
    kat_text_init(&file->text);
    /* Room for a batch's answers, and for no more of them a second time. */
    if (available_memory() < procedure->batch_bytes ||
        !examinee_prepare(&examinee, procedure->batch_bytes, 2 * (size_t)procedure->records_per_batch)) {
        refuse(&file->finding, procedure);
        return;
    }
    for (unsigned batch = 0; batch < procedure->records / procedure->records_per_batch; batch++) {
        procedure_prepare(procedure, batch, (unsigned char *)examinee.messages.start, questions);
        if (!run_batch(file, &examinee, procedure, questions))
            break;
    }
    if (file->finding.outcome == OUTCOME_DONE && file->text.failed)
        refuse(&file->finding, procedure);
    examinee_release(&examinee);
}
