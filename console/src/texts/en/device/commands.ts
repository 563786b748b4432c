import type { Command } from '@trackway/contract/resources/message.ts';

interface CommandWords {
  readonly label: string;
  readonly title: (device: string) => string;
  readonly text: string;
  readonly action: string;
}

const commands: Record<Command, CommandWords> = {
  position: {
    label: 'Request position',
    title: (device) => `Request the position of ${device}?`,
    text: 'The tracker reports where it is now.',
    action: 'Request position',
  },
  reboot: {
    label: 'Restart…',
    title: (device) => `Restart ${device}?`,
    text: 'The tracker restarts. It does not report for a minute or so.',
    action: 'Restart',
  },
  interval: {
    label: 'Set interval…',
    title: (device) => `How often should ${device} report?`,
    text: 'Shorter intervals use more of its battery and data plan.',
    action: 'Set interval',
  },
  engineStop: {
    label: 'Stop engine…',
    title: (device) => `Stop the engine of ${device}?`,
    text: 'The tracker cuts the fuel or the ignition.',
    action: 'Continue…',
  },
  engineResume: {
    label: 'Resume engine…',
    title: (device) => `Resume the engine of ${device}?`,
    text: 'The tracker restores the fuel or the ignition. The vehicle can be started again.',
    action: 'Resume engine',
  },
  output: {
    label: 'Switch output…',
    title: (device) => `Switch an output of ${device}?`,
    text: 'Make sure that you know what is wired to it: on some vehicles an output cuts the engine.',
    action: 'Switch output',
  },
  alarmArm: {
    label: 'Arm or disarm alarm…',
    title: (device) => `Arm the alarm of ${device}?`,
    text: 'The alarm of the tracker itself, not the triggers of this server.',
    action: 'Send',
  },
};

/** What a tracker can be told to do. */
export const deviceCommands = {
  send: 'Send command',
  lead: 'This tracker understands commands.',
  commands,
  sent: 'Command sent. Its state is shown with the messages.',
  seconds: 'Report every',
  secondsUnit: 's',
  badSeconds: (most: string) => `Enter a whole number from 1 to ${most}.`,
  output: 'Number of the output',
  badOutput: (most: number) => `Enter a whole number from 1 to ${most}.`,
  on: 'Switch it',
  onChoices: { on: 'On', off: 'Off' },
  arm: 'Alarm',
  armChoices: { on: 'Arm', off: 'Disarm' },
  giveUp: 'Give up after',
  giveUpHint: 'If the tracker is not connected, the command waits this long.',
  stop: {
    judged: (speed: string) =>
      `It is judged by speed as the command goes out: the engine is stopped only if a position of the last 60 seconds says that the vehicle is not faster than ${speed}.`,
    force: 'Stop it at any speed',
    forceHint: 'Do not check the speed, even if nobody knows where the vehicle is.',
    forceWarning: 'An engine that stops on the road can kill. Brakes and steering may lose their power.',
    sureTitle: (device: string) => `Really stop the engine of ${device}?`,
    sure: (speed: string) =>
      `The engine stops within ten minutes, once a new position says that the vehicle is not faster than ${speed}. It cannot be started again until you resume it.`,
    sureForced: (device: string) =>
      `The engine of ${device} stops as soon as the tracker gets the command, at any speed. It cannot be started again until you resume it.`,
    action: 'Stop engine',
    forcedAction: 'Stop engine at any speed',
  },
};
