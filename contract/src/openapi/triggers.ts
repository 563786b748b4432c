import type { TSchema } from 'typebox';
import { TRIGGER_TYPES, type TriggerType } from '../triggers.ts';
import { nameOf, refOf } from './named-schemas.ts';

/**
 * The parameters of each trigger type, selected by `type`. It is a separate schema: as part of a body, it would make
 * generators require the type in every update.
 */
export function triggerByType(): unknown {
  const types = Object.entries<TriggerType>(TRIGGER_TYPES);
  return {
    title: 'trigger by type',
    oneOf: types.map(([type, { fires, parameters, oneOf }]) => {
      const required = Object.keys(parameters).filter((name) => !('~optional' in parameters[name]!));
      const choice = oneOf === undefined ? '' : ` At least one of ${oneOf.join(', ')} is required.`;
      return {
        title: `${type} trigger`,
        type: 'object',
        required: required.length > 0 || oneOf ? ['type', 'parameters'] : ['type'],
        properties: {
          type: { type: 'string', const: type, description: `Fires when ${fires}.` },
          parameters: {
            title: `${type} parameters`,
            description: `Parameters of the type. Other parameters are stored as custom data.${choice}`,
            type: 'object',
            ...(required.length > 0 && { required }),
            properties: Object.fromEntries(Object.entries(parameters).map(([name, one]) => [name, documented(one)])),
            additionalProperties: true,
          },
        },
      };
    }),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(types.map(([type]) => [type, refOf(nameOf(`${type} trigger`))])),
    },
  };
}

/** Without keywords that only the server and the console use. */
function documented(schema: TSchema): unknown {
  const { unit: _, refersTo: __, ...rest } = schema as { unit?: unknown; refersTo?: unknown };
  return rest;
}
