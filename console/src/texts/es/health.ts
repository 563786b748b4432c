import { countedIn, number } from '../counting.ts';
import { slotRanges } from '../slot-ranges.ts';
import type { Texts } from '../translation.ts';

const many = countedIn('es');

const OWNED: Readonly<Record<string, (count: number) => string>> = {
  destinations: (count) => `envía a ${many(count, 'destino', 'destinos')}`,
  replays: (count) => `reevalúa ${many(count, 'dispositivo', 'dispositivos')}`,
  housekeeping: () => 'hace limpieza',
  broker: () => 'escucha el bróker MQTT',
};

export const health: Texts['health'] = {
  title: 'Estado',
  lead: 'El estado de este servidor, actualizado cada cinco segundos.',
  allWell: 'Todo funciona',
  diskFree: 'Espacio libre en disco',
  growth: 'Crecimiento',
  aDay: (perDay) => `${perDay} al día`,
  diskFullOn: 'Disco lleno hacia el',
  retention: {
    title: 'Historial guardado',
    lead: 'Cuántos días se guarda cada tipo de historial y qué se eliminaría hasta ahora. 0 días: para siempre. El servidor lee estos días de su configuración; aquí puede probar otros. No se elimina nada.',
    kind: 'Tipo',
    days: 'Días',
    count: 'Se eliminaría',
    bytes: 'Aproximadamente',
    oldest: 'El más antiguo',
    newest: 'El más reciente',
    nothing: 'No se eliminaría nada.',
    kinds: {
      positions: 'Posiciones',
      thinned: 'Posiciones reducidas a una cada 30 segundos (estimación)',
      readings: 'Lecturas',
      trips: 'Viajes y paradas',
      notifications: 'Notificaciones',
      checkpoints: 'Estados anteriores de los dispositivos',
      ruleVersions: 'Versiones terminadas de disparadores',
    },
  },
  ofDisk: (free, total) => `${free} de ${total}`,
  someDown: (count) => (count === 1 ? '1 destino no responde' : `${number(count)} destinos no responden`),
  someDead: (count) => (count === 1 ? '1 envío ha fallado' : `${number(count)} envíos han fallado`),
  toOutbox: 'Ver bandeja de salida',
  coming: 'Entrada',
  reports: 'Informes por minuto',
  positions: 'Posiciones por minuto',
  devices: 'Dispositivos en línea',
  ofDevices: (count) => `de ${count}`,
  streams: 'Conexiones en directo',
  going: 'Salida',
  waiting: 'Envíos en cola',
  dead: 'Fallidos en 30 días',
  down: 'Destinos caídos',
  users: 'Usuarios',
  nodes: {
    title: 'Nodos',
    up: 'Activo',
    gone: 'Perdido',
    isThis: 'le responde',
    lag: (ms) => `${ms} ms de retraso`,
    reports: (count) => `${count} informes por minuto`,
    owns: (what, count) => OWNED[what]?.(count) ?? `${what}: ${count}`,
    slots: (slots) => `lleva los relojes de ${many(slots.length, 'ranura', 'ranuras')} (${slotRanges(slots)})`,
    clock: (seconds) =>
      seconds > 0
        ? `su reloj va ${seconds} s por delante de la base de datos`
        : `su reloj va ${-seconds} s por detrás de la base de datos`,
    lastSeen: 'última señal',
    goneSince: 'perdido desde',
  },
  process: 'Servidor',
  node: 'Node',
  version: 'Versión',
  uptime: 'En marcha desde hace',
  since: 'Iniciado',
  engine: 'Base de datos',
  engines: { sqlite: 'SQLite', postgres: 'PostgreSQL' },
  size: 'Tamaño de la base de datos',
  memory: 'Memoria',
  metrics: 'Las métricas para Prometheus están en /metrics.',
};
