import { t } from '../../texts/t.ts';
import { Page } from '../../ui/page.tsx';

export default function MapPage() {
  return <Page title={t.shell.map}>{null}</Page>;
}
