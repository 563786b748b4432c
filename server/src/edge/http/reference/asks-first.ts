import type { Operation } from '@trackway/contract/operation.ts';
import { OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';

/** Operations that delete or end something although their method is not DELETE. */
const TAKING_AWAY: ReadonlySet<OperationName> = new Set<OperationName>([
  'cancelDelivery',
  'changePassword',
  'createRecoveryCodes',
  'deactivateDeviceByPost',
  'discardDeviceQuarantine',
  'discardQuarantine',
  'eraseDevice',
  'eraseUser',
  'logout',
  'logoutV2',
  'queueRtkRebootByPost',
  'removeAuthenticator',
  'resetPassword',
  'rotateDeviceKey',
  'rotateWebhookSecret',
]);

/**
 * Whether the page asks for confirmation before it runs an operation: it deletes or ends something, or changes data by
 * a GET.
 */
export function asksFirst(name: string): boolean {
  if (!Object.hasOwn(OPERATIONS, name)) return false;
  const { method, changes }: Operation = OPERATIONS[name as OperationName];
  return method === 'DELETE' || changes === true || TAKING_AWAY.has(name as OperationName);
}
