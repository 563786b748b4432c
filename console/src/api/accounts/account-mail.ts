import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from '../calls.ts';

export type Invitation = AnswerOf<'resendInvitation'>;

export const useRequestReset = () => useChange('requestPasswordReset');
export const useResetPassword = () => useChange('resetPassword');
export const useConfirmEmail = () => useChange('confirmEmail', ['getUser']);
export const useSendConfirmation = () => useChange('sendConfirmation');
export const useAnswerMail = () => useChange('answerMailRequest');

export const useInvitations = (options?: ReadOptions) =>
  useRead('listInvitations', { filter: { order: 'id DESC', limit: 100 } }, options);
export const useInvite = () => useChange('createInvitation', ['listInvitations']);
export const useResendInvitation = () => useChange('resendInvitation', ['listInvitations']);
export const useRevokeInvitation = () => useChange('deleteInvitation', ['listInvitations']);
