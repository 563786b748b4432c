import type { Texts } from '../translation.ts';

export const ground: Texts['ground'] = {
  layers: 'Capas del mapa',
  world: 'Mapamundi',
  streets: 'Calles',
  satellite: 'Satélite',
  region: (name) => name.replace(/\.pmtiles$/, ''),
  failed: 'No se ha podido cargar el callejero. Está viendo el mapa integrado.',
  retry: 'Reintentar',
  foreign: (hosts) => `Este estilo también carga datos de ${hosts}. Un administrador puede permitirlo en Ajustes.`,
  choose: 'Elegir otro mapa',
  noStreets: 'Este mapa aún no tiene calles.',
  chooseStreets: 'Elegir un mapa',

  title: 'Mapa',
  lead: 'Lo que los mapas muestran bajo sus dispositivos, para todos los usuarios de este servidor.',
  fixed: 'El operador ha fijado el mapa con TRACKWAY_MAP_STYLE, así que no se puede cambiar aquí.',
  choices: {
    world: 'Mapamundi integrado',
    public: 'Callejero público',
    style: 'Estilo de mapa propio',
    region: 'Archivo de mapa en este servidor',
  },
  hints: {
    world: 'Costas, fronteras y poblaciones. Sin calles. No se carga nada de fuera.',
    public: (host) =>
      `Calles de todo el mundo de OpenFreeMap, con datos de OpenStreetMap, gratis. Los navegadores las cargan de ${host}, que ve por tanto su dirección IP y la zona que miran.`,
    style: 'Cualquier estilo de MapLibre, como el de su propio servidor de teselas. Los navegadores lo cargan de ahí.',
    region:
      'Calles sin internet. Ponga un archivo PMTiles con el mapa Protomaps de su región en la carpeta de datos del servidor y elíjalo aquí.',
  },
  style: 'URL del estilo',
  stylePlaceholder: 'https://tiles.example.com/style.json',
  hosts: 'Otros servidores del estilo',
  hostsHint: 'De dónde carga teselas, fuentes e iconos, si no es del mismo servidor. Sepárelos con espacios.',
  file: 'Archivo de mapa',
  noFiles: 'Aún no hay ningún archivo .pmtiles en la carpeta de datos.',
  megabytes: (megabytes) => `${megabytes} MB`,
  ask: (host) => `Los navegadores de todos los usuarios cargarán el mapa de ${host}.`,
  save: 'Usar este mapa',
  first: '¿Quiere calles en el mapa?',
  later: 'Más tarde',
};
