import { TRIGGER_TYPES, type TriggerType } from '@trackway/contract/triggers.ts';
import type { TriggerRule } from './evaluator.ts';

/** A number among the parameters of a trigger: as given, or the contract's default. */
export function ruleNumber({ type, parameters }: TriggerRule, name: string): number | undefined {
  const given = parameters[name];
  if (typeof given === 'number') return given;
  const { parameters: schemas }: TriggerType = TRIGGER_TYPES[type];
  return (schemas[name] as { default?: number } | undefined)?.default;
}
