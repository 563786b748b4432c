import type { Quotes } from '../../../../platform/harmless-text.ts';

/** What is shared, by the name that people give it. */
export type SharedKind = 'device' | 'group' | 'list';
export type SharedRights = 'view' | 'manage';

/** What is mailed about accounts. A language that lacks one does not compile. */
export interface AccountTexts {
  readonly quotes: Quotes;
  readonly notYou: string;
  readonly notExpected: string;
  readonly twoDays: string;
  readonly sevenDays: string;
  readonly confirm: { readonly subject: string; readonly line: string; readonly link: string };
  readonly changed: { readonly subject: string; readonly line: (newEmail: string) => string; readonly notYou: string };
  readonly reset: { readonly subject: string; readonly line: string; readonly link: string; readonly after: string };
  readonly passwordChanged: { readonly subject: string; readonly line: string; readonly notYou: string };
  readonly factorReset: { readonly subject: string; readonly line: string; readonly next: string };
  readonly invitation: {
    readonly subject: string;
    /** @param from an address; undefined where nobody knows it any more */
    readonly line: (from: string | undefined) => string;
    readonly link: string;
  };
  readonly shared: {
    readonly subject: Readonly<Record<SharedKind, string>>;
    readonly line: Readonly<Record<SharedKind, (from: string, name: string) => string>>;
    readonly rights: Readonly<Record<'device' | 'group', Readonly<Record<SharedRights, string>>>>;
    readonly open: string;
    readonly leave: Readonly<Record<SharedKind, string>>;
    readonly join: string;
    readonly wait: string;
  };
  readonly recipient: {
    readonly subject: string;
    readonly line: (from: string) => string;
    readonly link: string;
    readonly after: string;
  };
}
