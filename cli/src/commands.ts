import { serve } from './serve.ts';

export async function run(words: readonly string[]): Promise<number> {
  return serve(words.slice(1));
}
