import { Type } from 'typebox';
import { operation } from '../../operation.ts';
import { integer, number, required } from '../../schema.ts';

export const placeNameOperations = {
  namePlace: operation('GET', '/placeName', 'user', {
    summary: 'Get the name of a place',
    description:
      'The smallest of the caller’s geofences that contains it, and the address that the operator’s geocoder gives. Addresses are cached and asked for at a limited rate: while it is exceeded, `address` is null and `isWaiting` true.',
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
        attribution: Type.String({ description: 'Whose data the address is. Empty without one.' }),
        isWaiting: Type.Boolean({ description: 'Whether the address may be known a little later.' }),
      },
      { title: 'place name' },
    ),
  }),
};
