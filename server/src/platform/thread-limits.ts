/**
 * Megabytes for new objects of a thread. On machines with much memory the engine would let this space grow several
 * times larger in each thread with many short-lived objects, and would not release it.
 */
export const YOUNG_LIMIT = { maxYoungGenerationSizeMb: 48 };
