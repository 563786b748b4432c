import type { Texts } from '../t.ts';

export const welcome: Texts['welcome'] = {
  title: 'Añadir dispositivo',
  greeting: 'Bienvenido a Trackway',
  greetingHint:
    'Aún no tiene dispositivos. Añada su teléfono, un rastreador o un dispositivo que simula esta página. Se tarda un minuto.',
  start: 'Añadir el primer dispositivo',
  nameLead: 'Todo lo que pueda enviar su posición: un teléfono, un rastreador o un programa.',
  name: 'Nombre del dispositivo',
  nameHint: 'Puede cambiarlo más adelante.',
  namePlaceholder: 'Mi teléfono',
  add: 'Añadir dispositivo',
  claim: {
    title: 'Hacerse con un dispositivo por su número de serie',
    lead: 'Para un dispositivo que otra persona configuró y ofrece a su nuevo propietario.',
    serial: 'Número de serie',
    serialHint: 'Está impreso en el dispositivo o en su caja.',
    ask: 'Quedarse el dispositivo…',
    questionTitle: (serial) => `¿Quedarse ${serial}?`,
    question:
      'El dispositivo pasa a ser suyo. El propietario anterior pierde el acceso y se acaban los accesos compartidos, activadores y reenvíos. Lo registrado hasta ahora se elimina, salvo que se entregue con su historial. No se puede deshacer.',
    action: 'Quedarse el dispositivo',
    refused:
      'No hay ningún dispositivo disponible con este número de serie. Compruebe el número. Si es correcto, pida a quien se lo dio que lo ofrezca.',
    tooOften: (wait) => `Demasiados intentos fallidos. Inténtelo de nuevo en ${wait}.`,
    done: (name) => `${name} ya es suyo`,
  },
  connectTitle: (name) => `Conectar ${name}`,
  keyTitle: 'Clave del dispositivo',
  keyHint: 'El dispositivo informa con esta clave. Solo se muestra ahora, pero puede sustituirla cuando quiera.',
  key: 'Clave del dispositivo',
  lostKey:
    'La clave de este dispositivo solo se mostró una vez. Cree una nueva para continuar. La actual dejará de funcionar al momento.',
  newKey: 'Crear clave nueva',
  ways: 'Cómo conectarlo',
  phone: 'OwnTracks',
  traccar: 'Traccar',
  curl: 'curl',
  simulate: 'Simular',
  owntracks: [
    'Instale OwnTracks en su teléfono (Android o iOS).',
    'Escanee este código con la cámara del teléfono y abra el enlace con OwnTracks. Le configura la aplicación.',
    'O configúrela a mano: en Preferencias → Conexión, elija el modo HTTP e introduzca esta URL:',
  ],
  traccarSteps: [
    'Instale Traccar Client en su teléfono (Android o iOS).',
    'Introduzca esta dirección como URL del servidor. Con el código puede copiarla al teléfono.',
    'Inicie el servicio en la aplicación.',
  ],
  code: 'Código QR con los ajustes para el teléfono',
  address: 'URL del servidor',
  curlLead: 'Envía una posición, como haría un programa. Sustituya las coordenadas por las suyas.',
  command: 'Comando',
  simulateLead:
    'Vea Trackway en acción: esta página simula un viaje de dos minutos. Manténgala abierta mientras tanto.',
  simulateStart: 'Iniciar simulación',
  simulateStop: 'Detener simulación',
  simulating: (left) => `quedan ${left}`,
  simulationFailed: 'El servidor ha rechazado las posiciones simuladas. Inténtelo de nuevo.',
  local:
    'Este servidor solo acepta conexiones de este equipo; un teléfono no puede llegar a él. Inícielo con TRACKWAY_HOST=0.0.0.0, mejor detrás de un proxy TLS, y ponga en TRACKWAY_PUBLIC_URL su dirección pública.',
  waiting: 'Esperando la primera posición…',
  arrived: 'Primera posición recibida.',
  toMap: 'Ir al mapa',
  another: 'Añadir otro',
  map: 'Mapa con la posición del dispositivo',
};
