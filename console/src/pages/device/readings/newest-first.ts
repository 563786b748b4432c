/** The newest readings, of all kinds or of one. Enough to know which kinds there are. */
export const NEWEST = 1000;

export const newestFirst = (limit = NEWEST) => ({
  order: 'timestamp DESC',
  fields: ['id', 'type', 'value', 'timestamp'],
  limit,
});
