/* @title@: see @name@.h. Made by ludens from the rules; do not edit, make it anew.
 *
 *     cc -std=c99 -O2 -fPIC -shared @name@.c -o lib@name@.so
 */
#include "@name@.h"

#include <stddef.h>

@scalars@

@tables@

@names@

/* How many bits are set, and the place of the lowest one; not to be asked of 0. */
#if defined(__GNUC__)
static uint64_t ones(uint64_t word) {
    return (uint64_t)__builtin_popcountll(word);
}

static uint64_t low_bit(uint64_t word) {
    return (uint64_t)__builtin_ctzll(word);
}
#else
static uint64_t ones(uint64_t word) {
    uint64_t count = 0;
    for (; word; word &= word - 1) {
        count++;
    }
    return count;
}

static uint64_t low_bit(uint64_t word) {
    return ones(~word & (word - 1));
}
#endif

@prototypes@

@functions@
uint32_t @name@_abi_version(void) {
    return @NAME@_ABI_VERSION;
}

uint32_t @name@_role_count(void) {
    return @NAME@_ROLES;
}

uint32_t @name@_fluent_count(void) {
    return @NAME@_FLUENTS;
}

uint32_t @name@_move_count(void) {
    return @NAME@_MOVES;
}

uint32_t @name@_state_bytes(void) {
    return @NAME@_STATE_BYTES;
}

uint32_t @name@_workspace_bytes(void) {
    return (uint32_t)sizeof(@name@_workspace);
}

uint32_t @name@_first_move(uint32_t role) {
    return first_moves[role < @NAME@_ROLES ? role : @NAME@_ROLES];
}

static const char *name_of(const char *const *names, uint32_t count, uint32_t number) {
    return number < count ? names[number] : NULL;
}

const char *@name@_role_name(uint32_t role) {
    return name_of(role_names, @NAME@_ROLES, role);
}

const char *@name@_fluent_name(uint32_t fluent) {
    return name_of(fluent_names, @NAME@_FLUENTS, fluent);
}

const char *@name@_move_name(uint32_t move) {
    return name_of(move_names, @NAME@_MOVES, move);
}

@offered@
