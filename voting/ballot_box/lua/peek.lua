-- Count a turn's ballots by side and column, for events that announce who sees live counts.
-- A ranking counts for its first choice, a set for each of its columns (see voting/counting/ballots.py).
-- KEYS: ballots.
-- ARGV: number of columns; most votes that a set can give a column.
-- Returns {{red's column 1, ...}, {yellow's column 1, ...}}.
local counts, base = { red = {}, yellow = {} }, tonumber(ARGV[2]) + 1
for column = 1, tonumber(ARGV[1]) do
  counts.red[column], counts.yellow[column] = 0, 0
end
for _, ballot in ipairs(redis.call('HVALS', KEYS[1])) do
  local side, choice = string.match(ballot, '^"(%a+)",(%d+)')
  local of, said = counts[side], tonumber(choice) % 1073741824
  if said < 536870912 then
    of[said % 256] = of[said % 256] + 1
  else
    for number = 1, #of do
      of[number] = of[number] + math.floor((said - 536870912) / base ^ (number - 1)) % base
    end
  end
end
return { counts.red, counts.yellow }
