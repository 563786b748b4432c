import { type ComponentType, lazy } from 'react';
import { t } from '../../texts/t.ts';
import type { SheetProps } from './rights.ts';

export interface Sheet {
  readonly key: string;
  readonly label: string;
  readonly page: ComponentType<SheetProps>;
  /** Uses the full width of the window: for maps. */
  readonly isWide?: boolean;
}

/** The sheets of a device, each loaded when first opened; the first is the default. */
export const SHEETS: readonly Sheet[] = [
  { key: 'overview', label: t.device.tabs.overview, page: lazy(() => import('./overview/overview-sheet.tsx')) },
  { key: 'day', label: t.device.tabs.day, page: lazy(() => import('./day/day-sheet.tsx')), isWide: true },
  { key: 'timeline', label: t.device.tabs.timeline, page: lazy(() => import('./timeline/timeline-sheet.tsx')) },
  { key: 'readings', label: t.device.tabs.readings, page: lazy(() => import('./readings/readings-sheet.tsx')) },
  { key: 'heard', label: t.device.tabs.heard, page: lazy(() => import('./nearby/nearby-sheet.tsx')) },
  { key: 'messages', label: t.device.tabs.messages, page: lazy(() => import('./messages/messages-sheet.tsx')) },
  { key: 'config', label: t.device.tabs.config, page: lazy(() => import('./config/config-sheet.tsx')) },
  { key: 'triggers', label: t.device.tabs.triggers, page: lazy(() => import('./ways/triggers-sheet.tsx')) },
  {
    key: 'maintenance',
    label: t.maintenance.title,
    page: lazy(() => import('./maintenance/maintenance-sheet.tsx')),
  },
  { key: 'forwarding', label: t.device.tabs.forwarding, page: lazy(() => import('./ways/forwarding-sheet.tsx')) },
  { key: 'access', label: t.device.tabs.access, page: lazy(() => import('./access/access-sheet.tsx')) },
  { key: 'quarantine', label: t.device.tabs.quarantine, page: lazy(() => import('./quarantine/quarantine-sheet.tsx')) },
];
