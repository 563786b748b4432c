import { Type } from 'typebox';
import { operation } from '../../operation.ts';
import { integer, number, required, text } from '../../schema.ts';

export const placeNameOperations = {
  namePlace: operation('GET', '/placeName', 'user', {
    summary: 'Get the name of a place',
    description:
      'The smallest of the caller’s geofences that contains it, and the address from the operator’s geocoder. Addresses are cached and requested at a limited rate: while it is exceeded, `address` is null and `isWaiting` true.',
    query: {
      lat: required(number('Latitude in degrees.', { minimum: -90, maximum: 90 })),
      lng: required(number('Longitude in degrees.', { minimum: -180, maximum: 180 })),
      deviceId: integer('Id of a device that is there: geofences of this device alone count, too.', { minimum: 1 }),
    },
    answer: Type.Object(
      {
        geofence: Type.Union(
          [
            Type.Object(
              {
                id: Type.Integer({ description: 'Id of the geofence.' }),
                name: Type.String({ description: 'Name of the geofence.' }),
              },
              { title: 'named geofence' },
            ),
            Type.Null(),
          ],
          { description: 'The smallest geofence of the caller around the place. Null if there is none.' },
        ),
        address: Type.Union([Type.String(), Type.Null()], {
          description: 'Address or name of the place. Null if there is no geocoder, or it knows none.',
        }),
        attribution: Type.String({ description: 'Attribution of the address. Empty without one.' }),
        isWaiting: Type.Boolean({ description: 'Whether the address may be available shortly.' }),
      },
      { title: 'place name' },
    ),
  }),
  searchPlaces: operation('GET', '/places', 'user', {
    summary: 'Search places by name or address',
    description:
      'At most 6 places that the operator’s geocoder finds; none without a geocoder. Results are cached and requested at a limited rate: while it is exceeded, `isWaiting` is true.',
    query: {
      text: required(text('Name or address.', { minLength: 2, maxLength: 200 })),
      lat: number('Latitude of a place: results around it come first. With `lng`.', { minimum: -90, maximum: 90 }),
      lng: number('Longitude of that place.', { minimum: -180, maximum: 180 }),
    },
    answer: Type.Object(
      {
        places: Type.Array(
          Type.Object(
            {
              name: Type.String({ description: 'Name or address.' }),
              lat: Type.Number({ description: 'Latitude in degrees.' }),
              lng: Type.Number({ description: 'Longitude in degrees.' }),
            },
            { title: 'found place' },
          ),
          { description: 'The best first.' },
        ),
        attribution: Type.String({ description: 'Attribution of the places. Empty without places.' }),
        isWaiting: Type.Boolean({ description: 'Whether places may be available shortly.' }),
      },
      { title: 'found places' },
    ),
  }),
};
