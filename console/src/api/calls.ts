import { type UseMutationResult, type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query';
import type { Input } from '@trackway/client/input.ts';
import type { AnswerOf, OperationName } from '@trackway/contract/operations.ts';
import { client, queryClient } from './client.ts';

/** Every read of the console is an operation of the contract with its input, which is also its cache key. */
export const keyOf = <K extends OperationName>(name: K, input: Input<K>) => [name, input] as const;

export interface ReadOptions {
  readonly enabled?: boolean;
  readonly refetchInterval?: number;
  readonly staleTime?: number;
  /** Shows the previous result while another input is loading: for paged lists and searches. */
  readonly keepsPrevious?: boolean;
}

type Call<K extends OperationName> = (input: Input<K>, more?: { signal?: AbortSignal }) => Promise<AnswerOf<K>>;
export const call = <K extends OperationName>(name: K) => client[name] as unknown as Call<K>;

/** `useRead('getDevice', { id })` */
export function useRead<K extends OperationName>(
  name: K,
  input: Input<K>,
  { keepsPrevious, ...options }: ReadOptions = {},
): UseQueryResult<AnswerOf<K>, Error> {
  return useQuery<AnswerOf<K>, Error>({
    queryKey: keyOf(name, input),
    queryFn: ({ signal }) => call(name)(input, { signal }),
    ...(keepsPrevious && { placeholderData: (last: AnswerOf<K> | undefined) => last as never }),
    ...options,
  });
}

/** `useChange('updateDevice', ['getDevice', 'listDevices'])`: these reads are invalidated. */
export function useChange<K extends OperationName>(
  name: K,
  touches: readonly OperationName[] = [],
): UseMutationResult<AnswerOf<K>, Error, Input<K>> {
  return useMutation<AnswerOf<K>, Error, Input<K>>({
    mutationFn: (input) => call(name)(input),
    onSuccess: () => readAnew(touches),
  });
}

/** Invalidates all reads of these operations, for any input. */
export const readAnew = (names: readonly OperationName[]) =>
  queryClient.invalidateQueries({ predicate: ({ queryKey }) => names.includes(queryKey[0] as OperationName) });
