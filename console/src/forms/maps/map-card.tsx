import { PUBLIC_MAP } from '@trackway/contract/resources/service/maps.ts';
import { type ReactNode, useState } from 'react';
import { useMe } from '../../api/accounts/users.ts';
import { readAnew } from '../../api/calls.ts';
import { type Maps, useChooseMap, useMaps } from '../../api/maps.ts';
import { prefer } from '../../preferences.ts';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { FieldStack, SelectField, TextField } from '../../ui/fields/field.tsx';
import { Card, Row } from '../../ui/page.tsx';
import { Notice, problemOf } from '../../ui/states.tsx';
import css from './map-card.module.css';

const words = t.ground;
const CHOICES = ['public', 'region', 'style', 'world'] as const;
type Choice = (typeof CHOICES)[number];

/** Lets an admin choose the map of the server; hidden for others. */
export function MapCard() {
  const { maps } = useMaps();
  const isAdmin = useMe().data?.admin === true;
  if (!isAdmin || maps === undefined) return null;
  return (
    <div id="map">
      <Card title={words.title}>
        <MapForm key={`${maps.choice} ${maps.style} ${maps.region}`} maps={maps} lead={words.lead} />
      </Card>
    </div>
  );
}

/** The same question before an admin has answered it. */
export function FirstMapCard() {
  const { maps } = useMaps();
  const isAdmin = useMe().data?.admin === true;
  const [isLater, setLater] = useState(false);
  const isAnswered = maps === undefined || maps.choice !== 'unset' || maps.files.length > 0;
  if (!isAdmin || isAnswered || isLater) return null;
  const later = (
    <Button kind="quiet" onClick={() => setLater(true)}>
      {words.later}
    </Button>
  );
  return (
    <Card title={words.first}>
      <MapForm maps={maps} lead={words.lead} other={later} />
    </Card>
  );
}

function MapForm({ maps, lead, other }: { maps: Maps; lead: string; other?: ReactNode }) {
  const { fields, save, error, isBusy, isIncomplete } = useMapFields(maps, CHOICES);
  if (maps.isFixed) return <p className={css.soft}>{words.fixed}</p>;
  const choose = async () => {
    // The content security policy allows only servers that were configured when the page was loaded.
    if (await save()) location.reload();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void choose().catch(() => undefined);
      }}
    >
      <FieldStack>
        <p className={css.soft}>{lead}</p>
        {error && <Notice tone="danger">{problemOf(error)}</Notice>}
        {fields}
        <Row>
          <Button kind="primary" type="submit" isBusy={isBusy} disabled={isIncomplete}>
            {words.save}
          </Button>
          {other}
        </Row>
      </FieldStack>
    </form>
  );
}

/** The fields of the map, and how to save them: `save` returns whether the page has to be loaded again. */
export function useMapFields(maps: Maps, offered: readonly Choice[]) {
  const [choice, setChoice] = useState<Choice>(maps.choice === 'unset' ? 'public' : maps.choice);
  const [style, setStyle] = useState(maps.choice === 'style' ? maps.style : '');
  const [hosts, setHosts] = useState(maps.hosts.join(' '));
  const [region, setRegion] = useState(maps.region);
  const file = region || maps.files[0]?.name || '';
  const change = useChooseMap();

  const save = async () => {
    const others = hosts.split(/[\s,]+/).filter(Boolean);
    await change.mutateAsync({
      body: {
        choice,
        ...(choice === 'style' && { style, hosts: others }),
        ...(choice === 'region' && { region: file }),
      },
    });
    prefer({ ground: undefined });
    return choice === 'public' || choice === 'style';
  };
  const asked = choice === 'style' && URL.canParse(style) ? new URL(style).host : '';
  const isIncomplete = (choice === 'style' && !URL.canParse(style)) || (choice === 'region' && file === '');

  const fields = (
    <>
      <fieldset className={css.choices}>
        <legend className="unseen">{words.title}</legend>
        {offered.map((one) => (
          <label key={one} className={css.choice}>
            <input type="radio" name="map-choice" checked={one === choice} onChange={() => setChoice(one)} />
            <span>
              <span className={css.name}>{words.choices[one]}</span>
              <span className={css.hint}>
                {one === 'public' ? words.hints.public({ host: hostOf(PUBLIC_MAP.host) }) : words.hints[one]}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
      {choice === 'style' && (
        <>
          <TextField
            label={words.style}
            type="url"
            placeholder={words.stylePlaceholder}
            value={style}
            onChange={setStyle}
            maxLength={2000}
            required
          />
          <TextField label={words.hosts} hint={words.hostsHint} value={hosts} onChange={setHosts} maxLength={2000} />
        </>
      )}
      {choice === 'region' &&
        (maps.files.length === 0 ? (
          <Notice
            action={
              <Button size="small" icon="refresh" onClick={() => void readAnew(['getMaps'])}>
                {t.phoneAddress.check}
              </Button>
            }
          >
            {words.noFiles}
          </Notice>
        ) : (
          <SelectField
            label={words.file}
            value={file}
            onChange={setRegion}
            choices={maps.files.map(({ name, bytes }) => ({ value: name, label: `${name} (${sizeOf(bytes)})` }))}
          />
        ))}
      {asked !== '' && <p className={css.soft}>{words.ask({ host: asked })}</p>}
    </>
  );
  return { fields, save, error: change.error, isBusy: change.isPending, isIncomplete };
}

const hostOf = (address: string) => new URL(address).host;
const sizeOf = (bytes: number) =>
  words.megabytes({ megabytes: (bytes / 1e6).toLocaleString(undefined, { maximumFractionDigits: 1 }) });
