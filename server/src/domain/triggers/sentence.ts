import type { FiringContent, TriggerRule } from './evaluator.ts';
import { TRIGGERS } from './registry.ts';

/** What a firing says to a person. */
export const sentenceOf = (firing: FiringContent, deviceName: string): string =>
  TRIGGERS[firing.rule.type].sentence(deviceName, firing);

/** What the sentence rests on besides the facts. */
export const toldOf = (firing: FiringContent): Readonly<Record<string, unknown>> =>
  TRIGGERS[firing.rule.type].told?.(firing) ?? {};

/** The published subtype of a firing, for the types that have one. */
export const subtypeOf = ({ rule }: { readonly rule: TriggerRule }): string | undefined =>
  TRIGGERS[rule.type].subtype?.(rule);
