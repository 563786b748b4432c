import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type DeviceLink = AnswerOf<'getLink'>;

const TOUCHED = ['listLinks', 'countLinks', 'listUserLinks'] as const;

export const useMyLinks = () => useRead('listUserLinks', { id: 'me', filter: { order: 'id DESC' } });
export const useCreateLink = () => useChange('createLink', TOUCHED);
export const useDeleteLink = () => useChange('deleteLink', TOUCHED);
