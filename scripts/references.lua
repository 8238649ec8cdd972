-- SPDX-License-Identifier: GPL-2.0-or-later
--
-- Finds references to files, functions and options that do not exist. scripts/check-references.sh calls this program in the root of the
-- tree and documents the checks:
--
--   luajit references.lua <FILES        FILES has the path of each file of the tree, one in each line
--
-- Prints "FILE:LINE: REFERENCE: ..." for each such reference, and the number of references that were checked. The exit code is 1 if
-- a reference does not exist.

-- Functions of libraries and of sysbench that the documentation mentions although no code calls them.
local FOREIGN_FUNCTIONS = {PQexec = true, mysql_drv_query = true, setlocale = true}

-- Options of other programs that the documentation mentions although no script uses them.
local FOREIGN_OPTIONS = {
   adapter = "bencher", ["cpu-bind"] = "srun", collector = "node_exporter", ["data-binary"] = "curl", exclusive = "sbatch", manifest = "buildah", ["map-by"] = "mpirun",
   hostname = "aws", nodes = "sbatch", ["ntasks-per-node"] = "sbatch", platform = "buildah", reference = "chown", region = "aws",
   ["resource-type"] = "az", ["single-transaction"] = "mysqldump",
}

local LANGUAGES = {c = "c", h = "c", js = "c", lua = "lua", sh = "shell", pl = "shell", py = "python"}
-- Files whose comments are not checked.
local CODE_ALONE = {ac = true, am = true, html = true, json = true, txt = true, yml = true, zsh = true}

local function read(path)
   local file = assert(io.open(path, "rb"))
   local text = file:read("*a")
   file:close()
   return text
end

local function suffix_of(path)
   return path:match("%.(%a+)$")
end

-- Returns the position after the end of a string literal whose text starts at `from`.
local function past_literal(text, from, quote)
   local stop = "[\\\n" .. quote .. "]"
   while true do
      local at = text:find(stop, from)
      if not at then
         return #text + 1
      elseif text:sub(at, at) ~= "\\" then
         return at + 1
      end
      from = at + 2
   end
end

local function past_line(text, at)
   return text:find("\n", at, true) or #text + 1
end

-- Functions that find the comments of a language. Each calls comment(FROM, PAST) for each comment of a text.
local readers = {}

function readers.c(text, comment)
   local at = text:find("[\"'/]")
   while at do
      local start, past = text:sub(at, at + 1), at + 1
      if start == "/*" then
         past = (select(2, text:find("*/", at + 2, true)) or #text) + 1
         comment(at, past)
      elseif start == "//" then
         past = past_line(text, at)
         comment(at, past)
      elseif not start:find("^/") then
         past = past_literal(text, at + 1, start:sub(1, 1))
      end
      at = text:find("[\"'/]", past)
   end
end

function readers.lua(text, comment)
   local at = text:find("[\"'%[-]")
   while at do
      local past = at + 1
      local dashes, level = text:match("^(%-?%-?)%[(=*)%[", at)
      if level and #dashes ~= 1 then
         past = (select(2, text:find("]" .. level .. "]", at, true)) or #text) + 1
      elseif text:find("^%-%-", at) then
         past = past_line(text, at)
      elseif text:find("^[\"']", at) then
         past = past_literal(text, at + 1, text:sub(at, at))
      end
      if text:find("^%-%-", at) then
         comment(at, past)
      end
      at = text:find("[\"'%[-]", past)
   end
end

-- Only lines that start with "#" count as comments: within a line, "#" may be part of a word or of a literal.
function readers.shell(text, comment)
   for from, line, past in text:gmatch("()([^\n]*)()") do
      if line:find("^%s*#") then
         comment(from, past)
      end
   end
end

-- Python's docstrings count as comments too.
function readers.python(text, comment)
   local at = 1
   while at do
      local from, quote, past = text:match("\n[ \t]*()\"\"\".-()\"\"\"()", at)
      if from then
         comment(from, past)
      end
      at = from and quote + 3
   end
   readers.shell(text, comment)
end

local function blank(text)
   return (text:gsub("[^\n]+", " "))
end

-- Returns the code of a file and its comments as two texts. Both have as many lines as the file. A page of the documentation is a comment.
local function split(path, text)
   local language = LANGUAGES[suffix_of(path)]
   if not language then
      return CODE_ALONE[suffix_of(path)] and text or "", suffix_of(path) == "md" and text or ""
   end
   local spans, code, comments, last = {}, {}, {}, 1
   readers[language](text, function(from, past) spans[#spans + 1] = {from, past} end)
   table.sort(spans, function(a, b) return a[1] < b[1] end)
   for _, span in ipairs(spans) do
      if span[1] >= last then
         local before, inside = text:sub(last, span[1] - 1), text:sub(span[1], span[2] - 1)
         code[#code + 1], code[#code + 2] = before, blank(inside)
         comments[#comments + 1], comments[#comments + 2] = blank(before), inside
         last = span[2]
      end
   end
   code[#code + 1] = text:sub(last)
   return table.concat(code), table.concat(comments)
end

-- The index. `tails` has each path and all its endings, with and without suffix: src/ROOM/FILE.c, ROOM/FILE, FILE.c ...
local paths, tails, stems, folders, functions, options = {}, {}, {}, {}, {}, {}

local function without_suffix(path)
   return path:match("^(.-[^/])%.[%w.]+$") or path
end

local function add_path(path)
   local tail = path
   while tail do
      tails[tail], tails[without_suffix(tail)] = true, true
      tail = tail:match("/(.+)$")
   end
   if path:find("^src/") and LANGUAGES[suffix_of(path)] then
      stems[without_suffix(path:match("[^/]+$"))] = true
   end
end

local function add_folders(path)
   local folder = path:match("^(.*)/")
   while folder and not folders[folder] do
      folders[folder] = true
      add_path(folder)
      folder = folder:match("^(.*)/")
   end
end

-- Collects calls and definitions of functions: name(, (*name)(, name = function, name: function.
local function add_functions(code)
   for name, past in code:gmatch("([%a_][%w_]*)()") do
      if code:find("^%)?[ \t]*%(", past) or code:find("^[\"'%]]*%s*[=:]%s*function", past) then
         functions[name] = true
      end
   end
end

-- Collects options: literals in option tables, keys of Lua tables, options on command lines in scripts, and macros of configure.
local function add_options(code)
   for name in code:gmatch("%-%-(%a[%w_-]*)") do
      options[name:gsub("_", "-")] = true
   end
   for name in code:gmatch("[\"'](%a[%w_-]*)=?[\"']") do
      options[name:gsub("_", "-")] = true
   end
   for name in code:gmatch("\n%s*(%a[%w_]*)%s*=%s*{") do
      options[name:gsub("_", "-")] = true
   end
   for name in code:gmatch("AC_ARG_%u+%(%[([%w-]+)%]") do
      for _, prefix in ipairs {"with-", "without-", "enable-", "disable-"} do
         options[prefix .. name] = true
      end
   end
end

local found, checked = 0, {paths = 0, functions = 0, options = 0}

local function report(page, text, at, reference, problem)
   local _, line = text:sub(1, at):gsub("\n", "")
   print(("%s:%d: %s: no such %s"):format(page, line + 1, reference, problem))
   found = found + 1
end

-- A word in capital letters stands for any name, as in src/drivers/NAME.c.
local function is_placeholder(reference)
   return reference:find("%u%u%u") ~= nil and not tails[reference]
end

-- True if words with slashes between them mean a path of the tree. This is so if they begin with a folder of the tree or of src/, or end
-- with the suffix of a source file. Two words mean a path if a source file has the second word as its name, because the file may have been
-- moved. On the page about the architecture, two words always mean a path.
local function is_path(page, reference)
   local first, second = reference:match("^([%w_-]+)/([%w_-]+)$")
   local folder = reference:match("^[^/]+")
   if LANGUAGES[suffix_of(reference)] or suffix_of(reference) == "md" or folders[folder] or folders["src/" .. folder] then
      return true
   end
   return first ~= nil and first ~= "application" and (stems[second] or page == "docs/architecture.md")
end

local function check_path(page, text, at, reference)
   reference = reference:gsub("^[./]*/", ""):gsub("[./-]+$", "")
   if not reference:find("/") or reference:find("^build") or not is_path(page, reference) or is_placeholder(reference) then
      return
   end
   checked.paths = checked.paths + 1
   if not tails[reference] then
      report(page, text, at, reference, "file or folder")
   end
end

-- Scripts that pages mention are not checked, because users choose their names; modules for browsers are not, because they may belong to
-- a library.
local function is_name(page, reference)
   local suffix = reference:match("^%w[%w_-]+%.(%a+)$")
   if suffix == "js" or (suffix == "lua" and suffix_of(page) == "md") then
      return false
   end
   return LANGUAGES[suffix] ~= nil and not is_placeholder(reference)
end

local function check_name(page, text, at, reference)
   if is_name(page, reference) then
      checked.paths = checked.paths + 1
      if not tails[reference] then
         report(page, text, at, reference, "file")
      end
   end
end

local function check_files(page, text)
   for at, reference, past in text:gmatch("()([%w_.*/-]*[%w_*/-])()") do
      local before, after = text:sub(at - 1, at - 1), text:sub(past, past)
      if reference:find("*", 1, true) or before:find("[~$}>{<=:@,%%\\]") or after:find("[$<{:=]%S") or reference:find("^/") then
         -- A pattern, a path of a system, or a part of something else.
      elseif reference:find("/", 1, true) then
         check_path(page, text, at, reference)
      else
         check_name(page, text, at, reference)
      end
   end
end

-- A name that begins with "_" stands for all functions with this ending.
local function function_exists(page, text, name)
   if functions[name] or FOREIGN_FUNCTIONS[name] then
      return true
   elseif name:find("^_") then
      for known in pairs(functions) do
         if known:sub(-#name) == name then
            return true
         end
      end
   end
   -- The example of a page may define it, also in SQL.
   return suffix_of(page) == "md" and (text:find("function [%w_.:]-" .. name .. "%s*%(") or text:find("PROCEDURE " .. name .. "%(")) ~= nil
end

local function check_functions(page, text)
   for at, reference in text:gmatch("()%f[%w_*]([%a_][%w_.:]*)%(%)") do
      checked.functions = checked.functions + 1
      if not function_exists(page, text, reference:match("[%w_]+$")) then
         report(page, text, at, reference .. "()", "function")
      end
   end
end

local function check_options(page, text)
   for at, reference in text:gmatch("()%f[%w-]%-%-(%a[%w_-]*)") do
      checked.options = checked.options + 1
      if not options[reference:gsub("_", "-")] and not FOREIGN_OPTIONS[reference] then
         report(page, text, at, "--" .. reference, "option")
      end
   end
end

local comments = {}
for path in io.lines() do
   path = path:gsub("^%./", "")
   paths[#paths + 1] = path
   add_path(path)
   add_folders(path)
   local code
   code, comments[path] = split(path, read(path))
   add_functions(code)
   add_options(code)
end
-- The names of files that the build generates are in its rules.
for path in read("Makefile.am"):gmatch("[%w_./-]+/[%w_.-]+") do
   add_path(path)
end

local CHECKED = {docs = true, src = true, tests = true, scripts = true, bench = true, ["README.md"] = true, ["CONTRIBUTING.md"] = true}
for _, path in ipairs(paths) do
   if CHECKED[path:match("^[^/]+")] then
      local text = comments[path]:gsub("%a+://[^%s)>]+", blank)
      check_files(path, text)
      check_functions(path, text)
      -- In CSS, "--name" is a variable and not an option.
      if suffix_of(path) ~= "js" then
         check_options(path, text)
      end
   end
end
print(("%d paths, %d functions and %d options were looked up; %d do not exist"):format(checked.paths, checked.functions, checked.options, found))
os.exit(found == 0 and 0 or 1)
