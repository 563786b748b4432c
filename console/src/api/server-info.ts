import type { AnswerOf } from '@trackway/contract/operations.ts';
import { useRead } from './calls.ts';

export type ServerInfo = AnswerOf<'getServerInfo'>;

export const useServerInfo = () => useRead('getServerInfo', {}, { staleTime: Number.POSITIVE_INFINITY });
