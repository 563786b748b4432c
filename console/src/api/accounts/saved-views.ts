import { useChange, useRead } from '../calls.ts';

/** The views of a page that the viewer saved. */
export const useSavedViews = (page: string) =>
  useRead('listSavedViews', { id: 'me', filter: { where: { page }, order: 'name ASC' } });
export const useCreateSavedView = () => useChange('createSavedView', ['listSavedViews']);
export const useDeleteSavedView = () => useChange('deleteSavedView', ['listSavedViews']);
