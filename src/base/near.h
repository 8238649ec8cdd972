/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the name that is nearest to a misspelt word, for messages like "Did you mean …?". */
#ifndef NEAR_H
#define NEAR_H

/* A search for the name nearest to a word. */
struct near {
    const char *word;
    const char *best; /* the nearest name as it was offered; NULL if none is near */
    unsigned distance;
};

/* Starts a search for the name nearest to `word`, which must outlive the result. */
struct near near_to(const char *word);

/*
 * Compares `name` with the word and keeps the name if it is nearer than all names before. `name`
 * must live as long as `best` is used. A name is near if its distance from the word is at most a
 * third of the word's length, and at least 1. The distance is the number of steps that turn one
 * into the other: a missing, additional or different letter, or two neighbouring letters that are
 * swapped (optimal string alignment: L. Boytsov, Indexing Methods for Approximate Dictionary
 * Searching, 2011). '-' and '_' are equal, and case does not matter.
 */
void near_offer(struct near *near, const char *name);

#endif
