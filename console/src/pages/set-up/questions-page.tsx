import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { type User, useMe, useUpdateUser } from '../../api/accounts/users.ts';
import { type Maps, useMaps } from '../../api/maps.ts';
import { ZONE } from '../../format/times.ts';
import { ZoneField } from '../../forms/account/zone-field.tsx';
import { PhoneBase } from '../../forms/connect/phone-base.tsx';
import { useMapFields } from '../../forms/maps/map-card.tsx';
import { t } from '../../texts/t.ts';
import { Button } from '../../ui/button.tsx';
import { QrCode } from '../../ui/figures/qr-code.tsx';
import { Card, Page, Row, Stack } from '../../ui/page.tsx';
import { Loaded, Notice, problemOf } from '../../ui/states.tsx';

const words = t.welcome.questions;

/** Questions to the first admin before the first device: streets, the address for phones, the time zone. */
export default function QuestionsPage() {
  const me = useMe();
  const { maps } = useMaps();
  return (
    <Page title={words.title} lead={words.lead} width="narrow">
      <Loaded query={me}>{(user) => maps && <Questions user={user} maps={maps} />}</Loaded>
    </Page>
  );
}

function Questions({ user, maps }: { user: User; maps: Maps }) {
  const [, navigate] = useLocation();
  const [timeZone, setTimeZone] = useState(user.timeZone ?? ZONE);
  const update = useUpdateUser();
  const map = useMapFields(maps, ['public', 'world', 'region']);
  const asksForMap = user.admin === true && !maps.isFixed;
  const error = update.error ?? map.error;
  const save = async () => {
    await update.mutateAsync({ id: user.id, body: { timeZone: timeZone || null } });
    // The content security policy allows only servers that were configured when the page was loaded.
    if (asksForMap && (await map.save())) location.assign('/welcome');
    else navigate('/welcome');
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // The notice shows why it was not saved.
    void save().catch(() => undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {error && <Notice tone="danger">{problemOf(error)}</Notice>}
        {asksForMap && (
          <Card title={words.streets}>
            <Stack>{map.fields}</Stack>
          </Card>
        )}
        <Card title={words.phones}>
          <PhoneBase>
            {(base) => (
              <Stack>
                <p>{words.reachable}</p>
                <QrCode text={base} label={words.code} />
              </Stack>
            )}
          </PhoneBase>
        </Card>
        <Card title={t.settings.timeZone}>
          <ZoneField value={timeZone} onChange={setTimeZone} />
        </Card>
        <Row>
          <Button
            kind="primary"
            type="submit"
            isBusy={update.isPending || map.isBusy}
            disabled={asksForMap && map.isIncomplete}
          >
            {words.next}
          </Button>
        </Row>
      </Stack>
    </form>
  );
}
