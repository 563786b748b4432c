import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import type { StrengthReply, StrengthRequest } from './require-strong.ts';

/** Guesses like an attacker would. Runs in a thread of its own: its dictionaries are large, and it computes long. */
const estimator = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  translations: english.translations,
});

parentPort!.on('message', ({ password, known }: StrengthRequest) => {
  const { score, feedback } = estimator.check(password, [...known]);
  parentPort!.postMessage({ score, warning: feedback.warning } satisfies StrengthReply);
});
