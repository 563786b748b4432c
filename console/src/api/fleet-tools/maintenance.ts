import type { AnswerOf, BodyOf } from '@trackway/contract/operations.ts';
import { useChange, useRead } from '../calls.ts';

export type MaintenanceTask = AnswerOf<'getMaintenanceTask'>;
export type TaskBody = BodyOf<'createMaintenanceTask'>;

const TASKS = ['listMaintenanceTasks', 'getMaintenanceTask', 'listFleetMaintenance'] as const;
const DONE = [...TASKS, 'listMaintenanceRecords'] as const;

export const useTasks = (deviceId: number) => useRead('listMaintenanceTasks', { id: deviceId });
export const useFleetTasks = () => useRead('listFleetMaintenance', { id: 'me' });
export const useRecords = (deviceId: number) =>
  useRead('listMaintenanceRecords', { id: deviceId, filter: { order: 'doneAt DESC', limit: 200 } });
export const useCreateTask = () => useChange('createMaintenanceTask', TASKS);
export const useUpdateTask = () => useChange('updateMaintenanceTask', TASKS);
export const useDeleteTask = () => useChange('deleteMaintenanceTask', DONE);
export const useCompleteTask = () => useChange('completeMaintenanceTask', DONE);
