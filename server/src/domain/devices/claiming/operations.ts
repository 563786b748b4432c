import type { claimOperations as contract } from '@trackway/contract/resources/v2/plan-v2.ts';
import type { Handlers } from '../../../calls.ts';
import { deviceInV2 } from '../v2/device-in-v2.ts';
import { type ClaimParts, claimDevice } from './claim.ts';

export const claimOperations = (parts: ClaimParts): Handlers<keyof typeof contract> => ({
  claimDevice: async (call) => deviceInV2(parts.store, call, await claimDevice(parts, call, call.body.serial!)),
});
