import { useChange, useRead } from '../calls.ts';

/** The viewer's saved views of a page. */
export const useSavedViews = (page: string) =>
  useRead('listSavedViews', { id: 'me', filter: { where: { page }, order: 'name ASC' } });
export const useCreateSavedView = () => useChange('createSavedView', ['listSavedViews']);
export const useDeleteSavedView = () => useChange('deleteSavedView', ['listSavedViews']);
