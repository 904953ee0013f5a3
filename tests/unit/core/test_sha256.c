/* SHA-256 against the examples of NIST (FIPS 180-2 appendix B, and the CAVP byte vectors
 * SHA256ShortMsg.rsp), and the CPU's instructions against plain C. */
#include "check.h"

#include "core/rng.h"
#include "core/sha256.h"

static void check_hash(const char *bytes, size_t n, bool plain, const char *want)
{
    smr_sha256 s;
    char got[65];
    smr_sha256_begin(&s);
    if (plain) s.compress = smr_sha256_plain;
    smr_sha256_add(&s, bytes, n);
    smr_sha256_hex(&s, got);
    assert_string_equal(got, want);
}

static void published_examples_agree(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hash;
    } row[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"\xd3", "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1"},
        {"\x11\xaf", "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98"},
        {"\xb4\x19\x0e", "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2"},
        {"\x74\xba\x25\x21", "b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e"},
        {"\xc2\x99\x20\x96\x82",
         "f0887fe961c9cd3beab957e8222494abb969b1ce4c6557976df8b0f6d20e9166"},
    };
    for (int64_t i = 0; i < SMR_COUNT(row); i++)
        for (int plain = 0; plain < 2; plain++)
            check_hash(row[i].text, strlen(row[i].text), plain, row[i].hash);
}

static void a_million_letters_agree_in_any_pieces(void **state)
{
    (void)state;
    static char letters[1000000];
    memset(letters, 'a', sizeof letters);
    static const char want[] = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";
    for (int plain = 0; plain < 2; plain++) {
        check_hash(letters, sizeof letters, plain, want);
        for (size_t piece = 1; piece < 400000; piece = piece * 5 / 2 + 13) {
            smr_sha256 s;
            char got[65];
            smr_sha256_begin(&s);
            if (plain) s.compress = smr_sha256_plain;
            for (size_t at = 0; at < sizeof letters; at += piece)
                smr_sha256_add(&s, letters + at, SMR_MIN(piece, sizeof letters - at));
            smr_sha256_hex(&s, got);
            assert_string_equal(got, want);
        }
    }
}

static void instructions_agree_with_plain_c_at_every_length(void **state)
{
    (void)state;
    char bytes[300];
    for (uint64_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)smr_random_bits(3, SMR_STREAM_TEST, 0, i);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        smr_sha256 a, b;
        char got[65], want[65];
        smr_sha256_begin(&a);
        smr_sha256_begin(&b);
        b.compress = smr_sha256_plain;
        smr_sha256_add(&a, bytes, n / 3);
        smr_sha256_add(&a, bytes + n / 3, n - n / 3);
        smr_sha256_add(&b, bytes, n);
        smr_sha256_hex(&a, got);
        smr_sha256_hex(&b, want);
        assert_string_equal(got, want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_examples_agree),
        cmocka_unit_test(a_million_letters_agree_in_any_pieces),
        cmocka_unit_test(instructions_agree_with_plain_c_at_every_length),
    };
    return cmocka_run_group_tests_name("sha256", tests, NULL, NULL);
}
