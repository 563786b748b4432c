import { create, list, read, remove, update } from '../../operation.ts';
import { id, noun, object, text, time } from '../../schema.ts';

/** Maximum number of saved views per user. */
export const MOST_VIEWS = 100;

/** A user's view of a page: its filters, order and columns. */
export const savedView = noun(
  'savedView',
  {
    id: id(),
    page: text('The page that it is a view of, such as `devices`.', { minLength: 1, maxLength: 40 }),
    name: text('Display name.', { minLength: 1, maxLength: 100 }),
    settings: object('Filters, order and columns of the page. At most 4000 characters as JSON.'),
    created: time('When the view was saved.', { readOnly: true }),
  },
  { required: ['page', 'name', 'settings'], always: ['page', 'name', 'settings', 'created'] },
);

const path = '/users/{id}/savedViews';

export const savedViewOperations = {
  listSavedViews: list(savedView, path, 'self'),
  createSavedView: create(savedView, path, 'self', {
    summary: 'Save a view of a page',
    description: `A user can save at most ${MOST_VIEWS} views.`,
  }),
  getSavedView: read(savedView, `${path}/{fk}`, 'self'),
  updateSavedView: update(savedView, `${path}/{fk}`, 'self'),
  deleteSavedView: remove(savedView, `${path}/{fk}`, 'self'),
};
