/** Invented brand names: a beginning and an ending from two tables, each pair used once per catalog. */
import type { Category } from '../../domain/categories.ts';
import { draw, hash32 } from './draw.ts';

// All beginnings have three letters, so no two pairs spell the same name. Both lists avoid rude
// words in the languages we read.
const BEGINNINGS = (
  'Bal Bar Bel Ber Bol Bor Bur Cal Cam Car Cel Dal Dan Dar Del Den Dol Dor Dur Fal Far Fen Fer ' +
  'Fol Gal Gar Gel Gol Gor Hal Har Hel Hol Jal Jan Jar Jen Jol Jor Kal Kar Kel Ken Ker Kol Kor Lam ' +
  'Lan Lar Len Lor Lum Lun Mar Mel Mer Mil Mir Mon Nal Nar Nel Ner Nol Nor Nov Pal Par Pel ' +
  'Per Pol Por Ral Ran Rel Ren Rom Ron Sal San Sar Sel Sil Sol Sor Tal Tan Tar Tel Tem Ter Tol Tor ' +
  'Val Van Var Vel Ven Ver Vil Vol Wal War Wel Wen Yal Yar Yen Zal Zan Zar Zel Zen Zor'
).split(' ');

const ENDINGS = (
  'adia adora amar amis ando anta ante ariel aris arka arno asco aster avia avos aya eda ' +
  'edra elia elio ella ello emia emo endo enna enta eon era eris erno esca essa esto eta etto eva ' +
  'evo exa ida iera igo ika ilia ilo ima imar indo inea ino inta iola ion ira iris isco issa ista ' +
  'iva ivo ixa oba odeo olia olo oma onda onia oria oro osta otto ova ovia oxa oya unia uno ura ' +
  'uria uva uvia axis elle iro'
).split(' ');

/** Number of invented names. */
const INVENTED_NAMES = BEGINNINGS.length * ENDINGS.length;

/** Words that such a business adds to its name; the empty word adds none. */
const WORDS: Readonly<Record<Category, readonly string[]>> = {
  'e-commerce': ['Online', 'Marketplace', 'Bazaar', 'Direct', 'Shop'],
  retail: ['Stores', 'Department Store', 'Outlet', 'Mall', ''],
  electronics: ['Electronics', 'Tech', 'Digital', 'Devices'],
  food: ['Kitchen', 'Pizza', 'Coffee', 'Grill', 'Bakery', 'Bistro'],
  groceries: ['Market', 'Foods', 'Supermarket', 'Fresh', 'Grocers'],
  games: ['Games', 'Online', 'Arena', 'Quest', 'Legends'],
  entertainment: ['Cinemas', 'Tickets', 'Live', 'Park'],
  streaming: ['TV', 'Music', 'Play', 'Stream'],
  apparel_clothing: ['', 'Fashion', 'Apparel', 'Shoes', 'Kids'],
  health_beauty: ['Beauty', 'Pharmacy', 'Cosmetics', 'Spa', 'Optics'],
  sports_fitness: ['Sports', 'Fitness', 'Outdoor', 'Cycling'],
  travel_flights: ['Travel', 'Hotels', 'Airlines', 'Tours', 'Rides'],
  home: ['Home', 'Furniture', 'Garden', 'Living', 'DIY'],
  'e-money': ['Pay', 'Wallet', 'Prepaid', 'Cash'],
  'e-sim': ['eSIM', 'Travel eSIM', 'Roam'],
  mobile_talk_time: ['Mobile', 'Telecom', 'Cell'],
  mobile_credits: ['Mobile Credits', 'Telecom Credits'],
  mobile_bundle: ['Mobile Bundles', 'Data'],
  charity_donations: ['Foundation', 'Relief', 'Fund'],
  other_products: ['Learning', 'Software', 'VPN', 'Magazine', 'Gifts'],
};

/** Returns the name at a position in the whole catalog; each seed has its own order. */
export function createNameBook(seed: string): (position: number, category: Category) => string {
  const start = hash32(`names|${seed}`) % INVENTED_NAMES;
  const stride = coprimeStride(seed);
  return (position, category) => {
    // A stride coprime to the count visits every pair before it repeats one.
    const index = (start + position * stride) % INVENTED_NAMES;
    const beginning = BEGINNINGS[Math.floor(index / ENDINGS.length)] ?? '';
    const root = beginning + (ENDINGS[index % ENDINGS.length] ?? '');
    const words = WORDS[category];
    return `${root} ${words[draw(index, 'word', words.length)] ?? ''}`.trimEnd();
  };
}

function coprimeStride(seed: string): number {
  let stride = 1 + (hash32(`stride|${seed}`) % (INVENTED_NAMES - 1));
  while (greatestCommonDivisor(stride, INVENTED_NAMES) !== 1) stride += 1;
  return stride;
}

function greatestCommonDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestCommonDivisor(other, one % other);
}
