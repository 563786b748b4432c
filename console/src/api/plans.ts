import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type ReadOptions, useChange, useRead } from './calls.ts';

export type Plan = AnswerOf<'getPlan'>;
export type PlanCredit = AnswerOf<'listPlanCredits'>[number];
export type Subscription = AnswerOf<'getDevicePlan'>;

const ALL = ['listPlans', 'countPlans', 'getPlan', 'summarizePlans'] as const;

export const usePlans = (options?: ReadOptions) => useRead('listPlans', {}, options);
export const useCreatePlan = () => useChange('createPlan', ALL);
export const useUpdatePlan = () => useChange('updatePlan', ALL);
export const useDeletePlan = () => useChange('deletePlan', ALL);
export const usePlanSummary = (userid: number | 'me', consumed: boolean, options?: ReadOptions) =>
  useRead('summarizePlans', { userid, consumed }, options);
export const usePlanCredits = (userId: number | 'me', options?: ReadOptions) =>
  useRead('listPlanCredits', { id: userId }, options);
export const useCreatePlanCredit = () => useChange('createPlanCredit', ['listPlanCredits', 'summarizePlans']);
/** Returns 404 while the device has no plan. */
export const useDevicePlan = (deviceId: number, options?: ReadOptions) =>
  useRead('getDevicePlan', { id: deviceId }, options);
export const useSetDevicePlan = () =>
  useChange('setDevicePlan', ['getDevicePlan', 'summarizePlans', 'getDevice', 'listDevices']);
export const useEndDevicePlan = () => useChange('endDevicePlan', ['summarizePlans', 'getDevice']);
