import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { t } from '../texts/t.ts';
import type { IconName } from '../ui/icons.ts';
import { TYPE_LOOKS, type TypeGroup } from './trigger-fields.tsx';

export const TYPE_NAMES = Object.keys(TYPE_LOOKS) as TriggerTypeName[];

export const typesIn = (group: TypeGroup) => TYPE_NAMES.filter((type) => TYPE_LOOKS[type].group === group);

export const iconOfType = (type: string): IconName => TYPE_LOOKS[type as TriggerTypeName]?.icon ?? 'bell';
export const labelOfType = (type: string): string => t.triggers.types[type as TriggerTypeName]?.label ?? type;
