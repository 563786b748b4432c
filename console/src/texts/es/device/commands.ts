import type { Texts } from '../../translation.ts';

export const deviceCommands: Texts['deviceCommands'] = {
  send: 'Enviar comando',
  lead: 'Este rastreador entiende comandos.',
  commands: {
    position: {
      label: 'Pedir posición',
      title: (device) => `¿Pedir la posición de ${device}?`,
      text: 'El rastreador informa de dónde está ahora.',
      action: 'Pedir posición',
    },
    reboot: {
      label: 'Reiniciar…',
      title: (device) => `¿Reiniciar ${device}?`,
      text: 'El rastreador se reinicia y no informa durante un minuto más o menos.',
      action: 'Reiniciar',
    },
    interval: {
      label: 'Fijar intervalo…',
      title: (device) => `¿Cada cuánto debe informar ${device}?`,
      text: 'Los intervalos más cortos gastan más batería y datos.',
      action: 'Fijar intervalo',
    },
    engineStop: {
      label: 'Parar motor…',
      title: (device) => `¿Parar el motor de ${device}?`,
      text: 'El rastreador corta el combustible o el contacto.',
      action: 'Continuar…',
    },
    engineResume: {
      label: 'Restablecer motor…',
      title: (device) => `¿Restablecer el motor de ${device}?`,
      text: 'El rastreador restablece el combustible o el contacto. El vehículo se puede volver a arrancar.',
      action: 'Restablecer motor',
    },
    output: {
      label: 'Conmutar salida…',
      title: (device) => `¿Conmutar una salida de ${device}?`,
      text: 'Asegúrese de qué hay conectado: en algunos vehículos una salida para el motor.',
      action: 'Conmutar salida',
    },
    alarmArm: {
      label: 'Armar o desarmar alarma…',
      title: (device) => `¿Armar la alarma de ${device}?`,
      text: 'La alarma del propio rastreador, no los activadores de este servidor.',
      action: 'Enviar',
    },
  },
  sent: 'Comando enviado. Su estado aparece con los mensajes.',
  seconds: 'Informar cada',
  secondsUnit: 's',
  badSeconds: (most) => `Introduzca un número entero del 1 al ${most}.`,
  output: 'Número de la salida',
  badOutput: (most) => `Introduzca un número entero del 1 al ${most}.`,
  on: 'Conmutar',
  onChoices: { on: 'Encender', off: 'Apagar' },
  arm: 'Alarma',
  armChoices: { on: 'Armar', off: 'Desarmar' },
  giveUp: 'Desistir tras',
  giveUpHint: 'Si el rastreador no está conectado, el comando espera este tiempo.',
  stop: {
    judged: (speed) =>
      `Se comprueba la velocidad al enviarlo: el motor solo se para si una posición de los últimos 60 segundos dice que el vehículo no supera ${speed}.`,
    force: 'Parar a cualquier velocidad',
    forceHint: 'No comprobar la velocidad, aunque nadie sepa dónde está el vehículo.',
    forceWarning: 'Un motor que se para en marcha puede matar. Los frenos y la dirección pueden perder asistencia.',
    sureTitle: (device) => `¿Parar de verdad el motor de ${device}?`,
    sure: (speed) =>
      `El motor se para en menos de diez minutos, cuando una posición nueva diga que el vehículo no supera ${speed}. No arrancará hasta que lo restablezca.`,
    sureForced: (device) =>
      `El motor de ${device} se para en cuanto el rastreador reciba el comando, a cualquier velocidad. No arrancará hasta que lo restablezca.`,
    action: 'Parar motor',
    forcedAction: 'Parar a cualquier velocidad',
  },
};
