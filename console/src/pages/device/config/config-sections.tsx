import { useGeofences } from '../../../api/geofences.ts';
import { t } from '../../../texts/t.ts';
import { FieldStack, NumberField, SelectField } from '../../../ui/fields/field.tsx';
import { Switch } from '../../../ui/fields/switch.tsx';
import { Card } from '../../../ui/page.tsx';
import type { ConfigEditor } from './config-draft.ts';
import { ConfigAction, ConfigBits, ConfigNumber, ConfigText } from './config-fields.tsx';
import css from './config-form.module.css';

const { sections, fields } = t.deviceConfig;
/** With this bit of modeControl2 the stop time is in minutes. */
const STOP_IN_MINUTES = 2;
/** The transmission timeout is stored in half minutes. */
const HALF_MINUTES = 2;

export const ContactSection = (editor: ConfigEditor) => (
  <Card title={sections.contact}>
    <div className={css.fields}>
      <ConfigNumber editor={editor} name="interval" unit={t.deviceConfig.seconds} />
      <ConfigNumber editor={editor} name="sleepInterval" unit={t.deviceConfig.seconds} />
      <ConfigNumber editor={editor} name="packing" />
      <ConfigNumber editor={editor} name="transmitTimeout" unit={t.deviceConfig.minutes} scale={HALF_MINUTES} />
    </div>
  </Card>
);

const REASONS = ['move', 'bluetooth', 'geofence', 'drop'] as const;

export function WakeSection(editor: ConfigEditor) {
  const { config, set, mayEdit } = editor;
  const reasons = config.reasonsToWake?.[0] ?? {};
  return (
    <Card title={sections.wake}>
      <FieldStack>
        <fieldset className={css.group}>
          <legend>{t.deviceConfig.wakeReasons}</legend>
          <FieldStack>
            {REASONS.map((reason) => (
              <Switch
                key={reason}
                label={t.deviceConfig.reasons[reason]}
                isOn={reasons[reason] === true}
                disabled={!mayEdit}
                onChange={(isOn) =>
                  set('reasonsToWake', [{ ...reasons, [reason]: isOn }, ...(config.reasonsToWake?.slice(1) ?? [])])
                }
              />
            ))}
          </FieldStack>
        </fieldset>
        <ConfigAction editor={editor} name="wakeAction" actions={['normal', 'available']} />
        <ConfigAction editor={editor} name="alertAction" actions={['nothing', 'available', 'lockOn']} />
      </FieldStack>
    </Card>
  );
}

export const MovementSection = (editor: ConfigEditor) => (
  <Card title={sections.movement}>
    <div className={css.fields}>
      <ConfigNumber editor={editor} name="movementSensitivity" />
      <ConfigNumber editor={editor} name="movementSensitivity2" />
      <ConfigNumber editor={editor} name="debounce" />
      <ConfigNumber
        editor={editor}
        name="stopTimeout"
        unit={
          ((editor.config.modeControl2 ?? 0) & STOP_IN_MINUTES) !== 0 ? t.deviceConfig.minutes : t.deviceConfig.seconds
        }
      />
    </div>
  </Card>
);

export function PositionSection(editor: ConfigEditor) {
  const fences = useGeofences({ fields: ['id', 'name'], order: 'name ASC', limit: 1000 });
  const { safeZoneId } = editor.config;
  const known = fences.data ?? [];
  const choices = [
    { value: '', label: t.deviceConfig.noZone },
    ...known.map(({ id, name }) => ({ value: String(id), label: name || `#${id}` })),
    ...(safeZoneId && !known.some(({ id }) => id === safeZoneId)
      ? [{ value: String(safeZoneId), label: `#${safeZoneId}` }]
      : []),
  ];
  return (
    <Card title={sections.position}>
      <div className={css.fields}>
        <ConfigNumber editor={editor} name="gpsTimeout" unit={t.deviceConfig.seconds} />
        <ConfigNumber editor={editor} name="gpsStabilize" unit={t.deviceConfig.seconds} />
        <ConfigNumber editor={editor} name="gpsCheckInterval" unit={t.deviceConfig.seconds} />
        <ConfigNumber editor={editor} name="tolerancePercentage" unit={t.deviceConfig.mah} />
        <SelectField
          label={fields.safeZoneId.label}
          hint={fields.safeZoneId.hint}
          value={safeZoneId ? String(safeZoneId) : ''}
          onChange={(value) => editor.set('safeZoneId', value === '' ? null : Number(value))}
          choices={choices}
        />
        <ConfigText editor={editor} name="homeWifiNetwork" />
      </div>
    </Card>
  );
}

export const BehaviorSection = (editor: ConfigEditor) => (
  <Card title={sections.behavior}>
    <div className={css.groups}>
      <ConfigBits editor={editor} name="behavior" />
      <ConfigBits editor={editor} name="modeControl" />
      <ConfigBits editor={editor} name="modeControl2" />
    </div>
  </Card>
);

const RESETS = ['none', '0', '1', '2'] as const;

export function OrdersSection({ config, set }: ConfigEditor) {
  return (
    <Card title={sections.orders}>
      <FieldStack>
        <SelectField
          label={fields.reset.label}
          hint={fields.reset.hint}
          value={config.reset === null ? 'none' : (String(config.reset) as (typeof RESETS)[number])}
          onChange={(value) => set('reset', value === 'none' ? null : Number(value))}
          choices={RESETS.map((value) => ({ value, label: t.deviceConfig.resets[value] }))}
        />
        <NumberField
          label={fields.command.label}
          hint={fields.command.hint}
          value={config.command}
          onChange={(value) => set('command', value)}
          step={1}
        />
      </FieldStack>
    </Card>
  );
}
