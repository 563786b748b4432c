import { TRIGGER_TYPES, type TriggerType, type TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { TriggerRule } from './evaluator.ts';

/** A numeric parameter of a trigger: as given, or the contract's default. */
export function ruleNumber({ type, parameters }: TriggerRule, name: string): number | undefined {
  const given = parameters[name];
  return typeof given === 'number' ? given : schemaOf(type, name).default;
}

/** How long the condition of a rule had to last, in seconds, if it had to. */
export const lastedFor = (seconds: number | undefined) => (seconds ? { lasted: seconds } : {});

function schemaOf(type: TriggerTypeName, name: string): { readonly default?: number } {
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  return parameters[name] ?? {};
}
