import type { Input } from '@trackway/client/input.ts';
import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type SavedReport = AnswerOf<'getSavedReport'>;
export type SavedReportBody = NonNullable<Input<'createSavedReport'>['body']>;

const ALL = ['listSavedReports', 'getSavedReport', 'listReportRecipients'] as const;

/** The viewer's saved reports. */
export const useSavedReports = () => useRead('listSavedReports', { id: 'me', filter: { order: 'name ASC' } });
export const useReportRecipients = () => useRead('listReportRecipients', { id: 'me' });
export const useCreateSavedReport = () => useChange('createSavedReport', ALL);
export const useUpdateSavedReport = () => useChange('updateSavedReport', ALL);
export const useDeleteSavedReport = () => useChange('deleteSavedReport', ALL);
export const useSendSavedReport = () => useChange('sendSavedReport', ALL);
