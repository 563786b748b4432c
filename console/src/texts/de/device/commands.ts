import type { Texts } from '../../translation.ts';

export const deviceCommands: Texts['deviceCommands'] = {
  send: 'Befehl senden',
  lead: 'Dieser Tracker versteht Befehle.',
  commands: {
    position: {
      label: 'Position anfordern',
      title: (device) => `Position von ${device} anfordern?`,
      text: 'Der Tracker sendet, wo er jetzt ist.',
      action: 'Position anfordern',
    },
    reboot: {
      label: 'Neu starten …',
      title: (device) => `${device} neu starten?`,
      text: 'Der Tracker startet neu und sendet etwa eine Minute lang nichts.',
      action: 'Neu starten',
    },
    interval: {
      label: 'Intervall setzen …',
      title: (device) => `Wie oft soll ${device} senden?`,
      text: 'Kürzere Intervalle verbrauchen mehr Akku und Datenvolumen.',
      action: 'Intervall setzen',
    },
    engineStop: {
      label: 'Motor abstellen …',
      title: (device) => `Motor von ${device} abstellen?`,
      text: 'Der Tracker unterbricht die Kraftstoffzufuhr oder die Zündung.',
      action: 'Weiter …',
    },
    engineResume: {
      label: 'Motor freigeben …',
      title: (device) => `Motor von ${device} freigeben?`,
      text: 'Der Tracker stellt Kraftstoffzufuhr oder Zündung wieder her. Das Fahrzeug kann wieder gestartet werden.',
      action: 'Motor freigeben',
    },
    output: {
      label: 'Ausgang schalten …',
      title: (device) => `Einen Ausgang von ${device} schalten?`,
      text: 'Vergewissern Sie sich, was daran angeschlossen ist: Bei manchen Fahrzeugen stellt ein Ausgang den Motor ab.',
      action: 'Ausgang schalten',
    },
    alarmArm: {
      label: 'Alarm scharf oder unscharf …',
      title: (device) => `Alarm von ${device} scharf schalten?`,
      text: 'Der Alarm des Trackers selbst, nicht die Auslöser dieses Servers.',
      action: 'Senden',
    },
  },
  sent: 'Befehl gesendet. Sein Stand steht bei den Nachrichten.',
  seconds: 'Senden alle',
  secondsUnit: 's',
  badSeconds: (most) => `Geben Sie eine ganze Zahl von 1 bis ${most} ein.`,
  output: 'Nummer des Ausgangs',
  badOutput: (most) => `Geben Sie eine ganze Zahl von 1 bis ${most} ein.`,
  on: 'Schalten',
  onChoices: { on: 'Ein', off: 'Aus' },
  arm: 'Alarm',
  armChoices: { on: 'Scharf', off: 'Unscharf' },
  giveUp: 'Aufgeben nach',
  giveUpHint: 'Ist der Tracker nicht verbunden, wartet der Befehl so lange.',
  stop: {
    judged: (speed) =>
      `Beim Absenden zählt das Tempo: Der Motor wird nur abgestellt, wenn eine Position der letzten 60 Sekunden zeigt, dass das Fahrzeug nicht schneller als ${speed} fährt.`,
    force: 'Bei jedem Tempo abstellen',
    forceHint: 'Das Tempo nicht prüfen, auch wenn niemand weiß, wo das Fahrzeug ist.',
    forceWarning:
      'Ein Motor, der während der Fahrt ausgeht, kann töten. Bremsen und Lenkung können ihre Unterstützung verlieren.',
    sureTitle: (device) => `Motor von ${device} wirklich abstellen?`,
    sure: (speed) =>
      `Der Motor geht innerhalb von zehn Minuten aus, sobald eine neue Position zeigt, dass das Fahrzeug nicht schneller als ${speed} fährt. Er lässt sich nicht starten, bis Sie ihn freigeben.`,
    sureForced: (device) =>
      `Der Motor von ${device} geht aus, sobald der Tracker den Befehl erhält, bei jedem Tempo. Er lässt sich nicht starten, bis Sie ihn freigeben.`,
    action: 'Motor abstellen',
    forcedAction: 'Bei jedem Tempo abstellen',
  },
};
