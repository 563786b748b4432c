/** The newest readings, of all types or of one. Enough to know which types there are. */
export const NEWEST = 1000;

export const newestFirst = (limit = NEWEST) => ({
  order: 'timestamp DESC',
  fields: ['id', 'type', 'value', 'timestamp'],
  limit,
});
