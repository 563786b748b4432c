import {
  type ParameterUnit,
  TRIGGER_TYPES,
  type TriggerType,
  type TriggerTypeName,
} from '@trackway/contract/triggers.ts';
import type { TriggerRule } from './evaluator.ts';

/** A number among the parameters of a trigger: as given, or the contract's default. */
export function ruleNumber({ type, parameters }: TriggerRule, name: string): number | undefined {
  const given = parameters[name];
  return typeof given === 'number' ? given : schemaOf(type, name).default;
}

/** The unit of a parameter with a space before it, to stand after a number; empty where it has none. */
export function unitAfter({ type }: TriggerRule, name: string): string {
  const { unit } = schemaOf(type, name);
  return unit === undefined ? '' : ` ${unit}`;
}

function schemaOf(type: TriggerTypeName, name: string): { readonly unit?: ParameterUnit; readonly default?: number } {
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  return parameters[name] ?? {};
}
