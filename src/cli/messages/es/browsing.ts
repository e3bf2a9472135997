/** Spanish: browsing: brands, catalogs, prices, places. */
import type { Catalogue } from '../translate.ts';

export const BROWSING: Catalogue = {
  'two-letter country code, such as us': 'código de país de dos letras, como us',
  'brands whose name is like this': 'marcas con un nombre parecido a este',
  'brands of this category, such as games': 'marcas de esta categoría, como games',
  BRAND: 'MARCA',
  FAMILY: 'FAMILIA',
  CATEGORY: 'CATEGORÍA',
  'MIN {0}': 'MÍN {0}',
  'MAX {0}': 'MÁX {0}',
  'No brand matches. Leave --search, --category, --kind, --min and --max out for all.':
    'Ninguna marca coincide. Quite --search, --category, --kind, --min y --max para verlas todas.',
  'there is no category "{0}"': 'no hay ninguna categoría «{0}»',
  '{0}Categories: {1}.': '{~0}Categorías: {1}.',
  'Did you mean {0}? ': '¿Quiso decir {0}? ',
  ' or ': ' o ',
  'products of this brand': 'productos de esta marca',
  'products of this family, such as "Mobile Recharge"':
    'productos de esta familia, como "Mobile Recharge"',
  'name a brand or a family: the whole catalog is too much':
    'indique una marca o una familia: el catálogo entero es demasiado',
  'Add --brand <name> or --family <name>; scrip brands lists both.':
    'Añada --brand <name> o --family <name>; scrip brands muestra ambas.',
  'PRODUCT ID': 'ID DE PRODUCTO',
  VALUE: 'VALOR',
  'PRICE USDC': 'PRECIO USDC',
  'A variable price is quoted for a value: scrip price <product id> … --value <n>':
    'Un precio variable se calcula para un valor: scrip price <product id> … --value <n>',
  'no brand "{0}" is sold in {1}': 'ninguna marca «{0}» se vende en {1}',
  '{0} to {1} {2}': 'de {0} a {1} {2}',
  COUNTRY: 'PAÍS',
  CURRENCY: 'MONEDA',
  SOLD: 'SE VENDE',
  COIN: 'MONEDA',
  SUSPENDED: 'SUSPENDIDA',
  'Networks and minimums: scrip vias --coin <coin>': 'Redes y mínimos: scrip vias --coin <coin>',
  'from scrip catalog': 'de scrip catalog',
  Range: 'Rango',
  Product: 'Producto',
  Brand: 'Marca',
  'Face value': 'Valor nominal',
  'Valid until': 'Válido hasta',
  'part of a name; typing errors are forgiven': 'parte de un nombre; se toleran las erratas',
  'language of the names, such as pt (default: that of --lang)':
    'idioma de los nombres, como pt (por defecto: el de --lang)',
  'Nothing is called like "{0}" there.': 'Allí nada se llama como «{0}».',
  'Products of a brand: scrip catalog --country {0} --brand {1}':
    'Productos de una marca: scrip catalog --country {0} --brand {1}',
  'ways to pay in this coin': 'formas de pago en esta moneda',
  VIA: 'VÍA',
  NETWORK: 'RED',
  MINIMUM: 'MÍNIMO',
  CONTRACT: 'CONTRATO',
  'orders cannot be paid in "{0}"': 'los pedidos no se pueden pagar en «{0}»',
  'Run: scrip currencies': 'Ejecute: scrip currencies',
  'of this kind': 'de esta clase',
  'sold at this face value or more, in the currency of the country':
    'se venden con este valor nominal o más, en la moneda del país',
  'sold at this face value or less': 'se venden con este valor nominal o menos',
  'sort by': 'ordena por',
  'the other way round': 'en orden inverso',
  'the first few alone': 'solo los primeros',
  '--limit "{0}" is not a whole number from 1 on':
    '--limit «{0}» no es un número entero a partir de 1',
  '{0} of {1} shown; leave --limit out for all.':
    'Se muestran {0} de {1}; quite --limit para verlos todos.',
  'PRICE {0}': 'PRECIO {0}',
  'A variable price is quoted for a value: scrip price <product id> … --value <n> --via partner':
    'Un precio variable se calcula para un valor: scrip price <product id> … --value <n> --via partner',
  'Run: scrip search {0} --country {1}': 'Ejecute: scrip search {0} --country {1}',
  '{0} has no product "{1}" in {2}': '{~0} no tiene ningún producto «{1}» en {2}',
  Value: 'Valor',
  'Payment method': 'Forma de pago',
  Points: 'Puntos',
  '{0} is sold at a value that you choose: {1}': '{0} se vende por el valor que usted elija: {~1}',
  'Run: scrip catalog --country {0} --brand {1}':
    'Ejecute: scrip catalog --country {0} --brand {1}',
  'nothing is sold in {0} ({1})': 'en {0} ({1}) no se vende nada',
  '{0} is not in the family "{1}"': '{0} no está en la familia «{1}»',
  'It is in {0}: leave --family out.': 'Está en {0}: quite --family.',
  'no family "{0}" is sold in {1}': 'ninguna familia «{0}» se vende en {1}',
  'Families there: {0}.': 'Familias de allí: {0}.',
  'No product matches. Leave --search, --kind, --min and --max out for all.':
    'Ningún producto coincide. Quite --search, --kind, --min y --max para verlos todos.',
  'products whose name is like this': 'productos con un nombre parecido a este',
  '--min {0} is more than --max {1}': '--min {0} es más que --max {1}',
};
