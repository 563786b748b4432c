import type { Texts } from '../translation.ts';

export const makers: Texts['makers'] = {
  madeBy: (email) => `Angelegt von ${email ?? 'einem anderen Benutzer'}`,
  notYours: (email) =>
    `${email ?? 'Ein anderer Benutzer'} hat diesen Auslöser angelegt und wird durch ihn benachrichtigt. Sie können ihn nicht ändern, als Eigentümer des Geräts aber löschen.`,
};
